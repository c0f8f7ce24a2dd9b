// The number of planes that a stream transforms from y lines to x lines and back at a time, on a GPU. Many
// planes fill the device; few stay in its second cache meanwhile. The faster number is found by timing
// right-hand sides with each in turn: their memory is never allocated at once.
#pragma once

#include <functional>
#include <vector>

#include "roundtrip/forward.hpp"

namespace whorl {

struct PlaneTrial {
    std::int64_t bytes; // of a stream; 0: the planes were given
    int planes;         // of this rank
    double seconds;     // of a right-hand side on the slowest rank; 0: no choice was needed
};

template <class Device, class Real> class PlaneTrials {
  public:
    explicit PlaneTrials(RoundTrip<Device, Real>& trip) : trip_(trip) {}

    // The trials, the first of which the round trip keeps; the same on all ranks but for their planes. None
    // is made where options give planes or bytes, or where all ranks would have the same planes. Collective.
    std::vector<PlaneTrial> fastest_first(const std::function<void()>& right_hand_side);

  private:
    bool open(const std::vector<PlaneTrial>& trials) const;
    void take(std::int64_t bytes);
    double time(const std::function<void()>& right_hand_side);

    RoundTrip<Device, Real>& trip_;
};

} // namespace whorl

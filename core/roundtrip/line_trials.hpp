// Finds the fastest lines of a round trip on a CPU: on its own planes and columns, in about SECONDS, axis
// by axis, each kind and shape in turn. Grids too small to tell take whorl's own without a trial.
#pragma once

#include <vector>

#include "roundtrip/roundtrip.hpp"

namespace whorl {

template <class Device, class Real> class LineTrials {
  public:
    static constexpr double seconds = 0.3;
    static constexpr std::int64_t fewest_points = 1 << 18; // below, nothing is measured
    // Of the time of whorl's own. Trials are short, and those of x and y lines stay in the caches: less of a
    // gain in them is none in a run.
    static constexpr double margin = 0.85;

    explicit LineTrials(RoundTrip<Device, Real>& trip) : trip_(trip) {}

    // What the options ask for, or, where they ask for the fastest, that; the same on all ranks. Collective.
    LineChoice fastest();

  private:
    // Seconds of the slowest rank for the lines of one axis, with each choice; the best of a few rounds.
    std::vector<double> time(int axis, const std::vector<LineChoice>& choices, double of_axis);
    template <class Over> double time(int axis, const Over& over);
    void sweep(int axis);
    void planes(int axis);
    void rows(int executor, int plane);
    void columns();

    RoundTrip<Device, Real>& trip_;
};

} // namespace whorl

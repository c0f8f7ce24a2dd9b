// Finds the fastest lines of a round trip on a CPU in about `seconds`: on its own planes and columns, axis by
// axis, each kind and tile in turn. Grids too small for a comparison take whorl's own lines.
#pragma once

#include <vector>

#include "roundtrip/roundtrip.hpp"

namespace whorl {

template <class Device, class Real> class LineTrials {
  public:
    static constexpr double seconds = 0.3;
    static constexpr std::int64_t fewest_points = 1 << 18; // grids of no more points are not measured
    // The time, over that of whorl's own lines, below which others are taken. Trials are short, and those of
    // x and y lines stay in the caches: a smaller gain in a trial is none in a run.
    static constexpr double margin = 0.85;

    explicit LineTrials(RoundTrip<Device, Real>& trip) : trip_(trip) {}

    // The lines of the options or, where these ask for it, the fastest; the same on all ranks. Collective.
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

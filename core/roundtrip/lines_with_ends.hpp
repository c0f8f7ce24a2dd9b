// Transforms of lines with their ends on a GPU (line_ends.hpp).
#pragma once

#include "base/timer.hpp"
#include "roundtrip/executors.hpp"
#include "roundtrip/line_ends.hpp"

namespace whorl {

// Transforms in the memory of blocks where it has room for all variables of the ends; else the library
// transforms the lines where they lie, and the ends are kernels of their own, timed as `apart`. lines(v) is
// the plan of variable v.
template <device::Direction direction, class Device, class Real, class Ends, class LinesOfVariable>
void transform_with_ends(Device& device, Executors<Device, Real>& executors, int executor, const Ends& ends,
                         int groups, Task of_lines, Task apart, const LinesOfVariable& lines) {
    constexpr bool inverse = direction == device::Direction::backward;
    const int points = lines(0).points();
    if (lines(0).block(Ends::variables).lanes > 0) {
        const auto scope = executors.timed(executor, of_lines);
        return device.template transform_between<direction>(executor, lines(0), groups, ends);
    }
    const auto run_end = [&]<bool comes_in>() {
        const auto scope = executors.timed(executor, apart);
        device.for_each(executor, 1LL * groups * points,
                        kernels::EndsApart<Real, Ends, comes_in>{ends, points});
    };
    if (inverse || !ends.lie_there) run_end.template operator()<true>();
    {
        const auto scope = executors.timed(executor, of_lines);
        for (int v = 0; v < ends.transforms(); ++v)
            device.transform(executor, lines(v), ends.lines(v), executors.scratch(executor));
    }
    if (!inverse || !ends.lie_there) run_end.template operator()<false>();
}

} // namespace whorl

// Structure functions: moments of increments of a program's results along the first axis
// (programs/increment_moments.hpp). Whole rows pass through the innermost caches and are not kept.
#pragma once

#include <array>
#include <vector>

#include "exchange/communicator.hpp"
#include "programs/carried.hpp"
#include "roundtrip/forward.hpp"

namespace whorl::programs {

struct IncrementsWanted {
    int order = 2;                         // the highest of all moments, 1 to 8
    std::vector<int> separations;          // in points, each at least 1 and less than the row has
    std::vector<std::array<int, 2>> pairs; // quantities a and b of the moments d_a d_b^2
};

// The means of the moments over all points, [separation][moment]. The quantities are the results of the
// program. Bits depend on the same things as those of evaluate(). Collective. Throws Error if the first axis
// has walls or one point, or if the wanted moments do not fit the program.
template <class Device, class Real>
std::vector<std::vector<double>>
increments(RoundTrip<Device, Real>& trip, const exchange::Communicator& world, const Box& box,
           const Program& program, const IncrementsWanted& wanted, const std::vector<Source<Real>>& sources);

} // namespace whorl::programs

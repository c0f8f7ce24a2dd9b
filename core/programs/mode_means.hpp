// Means over the points that follow from the modes alone, without a round trip: of a field that a sum of
// terms makes, and of the product of two of them (Parseval),
//   <a> = a(k = 0),   <a b> = sum of Re(a b*) over all modes, those that stand for their conjugates twice
#pragma once

#include <array>
#include <vector>

#include "exchange/communicator.hpp"
#include "programs/carried.hpp"
#include "roundtrip/roundtrip.hpp"

namespace whorl::programs {

// The numbers of two inputs whose product is averaged; a second of -1 stands for the mean of the first.
using Pair = std::array<int, 2>;

// The means of pairs of inputs, in a box without walls; no bit depends on ranks and threads. Collective.
template <class Device, class Real>
std::vector<double> mode_means(RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
                               const std::vector<std::vector<Term>>& inputs, const std::vector<Pair>& pairs,
                               const std::vector<Source<Real>>& sources);

} // namespace whorl::programs

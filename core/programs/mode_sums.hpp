// Sums over the modes, without a round trip. Means over the points of a field that a sum of terms makes, and
// of the product of two of them (Parseval), and the same by shell or other bins of the wavenumber:
//   <a> = a(k = 0),   <a b> = sum of Re(a b*) over all modes, those that stand for their conjugates twice
// In boxes without walls; no bit depends on ranks and threads.
#pragma once

#include <array>
#include <vector>

#include "exchange/communicator.hpp"
#include "programs/carried.hpp"
#include "programs/mode_bins.hpp"
#include "roundtrip/forward.hpp"

namespace whorl::programs {

// The numbers of two inputs whose product is averaged; a second of -1 stands for the mean of the first.
using Pair = std::array<int, 2>;
inline constexpr Pair the_number{-1, -1}; // of modes, by cell

// The means of pairs of inputs. Collective, and so is the next.
template <class Device, class Real>
std::vector<double> mode_means(RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
                               const InputTerms& inputs, const std::vector<Pair>& pairs,
                               const std::vector<Source<Real>>& sources);

// For each sum of pairs, and each cell of bins along one or two coordinates, in the order of the first one.
// Of modes along kz that are in one cell after each other the products are added in double, all else exactly.
template <class Device, class Real>
std::vector<std::vector<double>>
mode_spectra(RoundTrip<Device, Real>& trip, const exchange::Communicator& world, const InputTerms& inputs,
             const std::vector<std::vector<Pair>>& sums, const std::vector<Source<Real>>& sources,
             const std::vector<ModeAxis>& axes);

} // namespace whorl::programs

// Sums over the modes, without a round trip: means over the points of a field that is a sum of terms, and of
// the product of two such fields (Parseval).
//   <a> = a(k = 0),   <a b> = sum of Re(a b*) over all modes
// A mode that stands for its conjugate, too, counts twice. Sums by shell or by other bins of the wavenumber
// are made in the same way. Boxes have no walls. No bit depends on ranks and threads.
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

// The means of pairs of inputs. Collective, like mode_spectra().
template <class Device, class Real>
std::vector<double> mode_means(RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
                               const InputTerms& inputs, const std::vector<Pair>& pairs,
                               const std::vector<Source<Real>>& sources);

// Each sum of pairs for each cell of bins along one or two coordinates, in the order of the first coordinate.
// Products of modes that follow each other along kz in one cell are added in double precision, all else
// exactly.
template <class Device, class Real>
std::vector<std::vector<double>>
mode_spectra(RoundTrip<Device, Real>& trip, const exchange::Communicator& world, const InputTerms& inputs,
             const std::vector<std::vector<Pair>>& sums, const std::vector<Source<Real>>& sources,
             const std::vector<ModeAxis>& axes);

} // namespace whorl::programs

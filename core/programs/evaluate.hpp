// Runs a program: one round trip, or two if products are transformed back without aliases by phase shifts.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "exchange/communicator.hpp"
#include "grid/physical_block.hpp"
#include "programs/histogram.hpp"
#include "programs/mode_bins.hpp"
#include "programs/program_parts.hpp"
#include "roundtrip/forward.hpp"

namespace whorl::programs {

// The results of a program: `means`, then `maxima`, then `products`, then `values` for every point, then the
// operands of histograms. The last of the means are means over each plane across an axis, y = 1 or z = 2.
struct Wanted {
    int means = 0, maxima = 0, products = 0, values = 0;
    std::vector<HistogramShape> histograms;
    std::vector<int> planes; // the axis of each

    int histogram_operands() const {
        int operands = 0;
        for (const HistogramShape& shape : histograms) operands += shape.operands();
        return operands;
    }
    int of_rows() const { return means + maxima; }
    int of_all() const { return means - static_cast<int>(planes.size()); }
    int results() const { return of_rows() + products + values + histogram_operands(); }
};

// The counts of a histogram by cell, and for each weight the sums by cell.
struct Counted {
    std::vector<std::uint64_t> counts;
    std::vector<std::vector<double>> sums;
};

struct Found {
    std::vector<double> means, maxima;
    std::vector<Counted> histograms;
    std::vector<std::vector<double>> planes;
};

// Fields that terms name by their number, and fields of which products become parts.
template <class Real> struct Fields {
    std::vector<NamedField<Real>> named_fields;
    std::vector<Complex<Real>*> products;
};

// Returns means and maxima over the points of all ranks, and histograms of them. A mean is summed along x in
// each row, and over rows without rounding (base/exact_sum.hpp). A maximum is NaN if the value is NaN at any
// point. No bit depends on threads, nor on ranks if the process grid has one row. With several, a row of
// points shares its transform with another one. Calls consume(block, values) with the values of each batch of
// planes, [value][z][y][x], equally often on every rank. With `shifts` products are means over two grids.
// Collective. Throws Error if the program does not fit together, or between walls if the terms of an input
// have unlike parities.
template <class Device, class Real>
Found evaluate(RoundTrip<Device, Real>& trip, const exchange::Communicator& world, const Box& box,
               const Program& program, const Wanted& wanted, const Fields<Real>& fields, bool shifts,
               const BlockCallback<Real>& consume);

// Structure functions: moments of increments of a program's results along the first axis
// (programs/increment_pass.hpp). Whole rows pass through the innermost caches and are not kept.
struct IncrementsWanted {
    int order = 2;                         // the highest of all moments, 1 to 8
    std::vector<int> separations;          // in points, each at least 1 and less than the row has
    std::vector<std::array<int, 2>> pairs; // quantities a and b of the moments d_a d_b^2
};

// The means of the moments over all points, [separation][moment]. The quantities are the results of the
// program. Bits depend on the same things as those of evaluate(). Collective. Throws Error if the first axis
// has walls or one point, or if the wanted moments do not fit the program.
template <class Device, class Real>
std::vector<std::vector<double>> increments(RoundTrip<Device, Real>& trip,
                                            const exchange::Communicator& world, const Box& box,
                                            const Program& program, const IncrementsWanted& wanted,
                                            const std::vector<NamedField<Real>>& named_fields);

// Sums over the modes, without a round trip: means over the points of a field that is a sum of terms, and of
// the product of two such fields (Parseval).
//   <a> = a(k = 0),   <a b> = sum of Re(a b*) over all modes
// A mode that stands for its conjugate, too, counts twice. Sums by shell or by other bins of the wavenumber
// are made in the same way. Boxes have no walls. No bit depends on ranks and threads.

// The numbers of two inputs whose product is averaged; a second of -1 stands for the mean of the first.
using Pair = std::array<int, 2>;
inline constexpr Pair the_number{-1, -1}; // of modes, by cell

// The means of pairs of inputs. Collective, like mode_spectra().
template <class Device, class Real>
std::vector<double> mode_means(RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
                               const InputTerms& inputs, const std::vector<Pair>& pairs,
                               const std::vector<NamedField<Real>>& named_fields);

// Each sum of pairs for each cell of bins along one or two coordinates, in the order of the first coordinate.
// Products of modes that follow each other along kz in one cell are added in double precision, all else
// exactly.
template <class Device, class Real>
std::vector<std::vector<double>>
mode_spectra(RoundTrip<Device, Real>& trip, const exchange::Communicator& world, const InputTerms& inputs,
             const std::vector<std::vector<Pair>>& sums, const std::vector<NamedField<Real>>& named_fields,
             const std::vector<ModeAxis>& axes);

} // namespace whorl::programs

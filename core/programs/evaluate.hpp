// Runs a program: one round trip, or two if products are transformed back without aliases by phase shifts.
#pragma once

#include <functional>
#include <vector>

#include "exchange/communicator.hpp"
#include "grid/physical_block.hpp"
#include "programs/carried.hpp"
#include "programs/tally_shape.hpp"
#include "roundtrip/forward.hpp"

namespace whorl::programs {

// The results of a program: `means`, then `maxima`, then `products`, then `values` for every point, then the
// operands of tallies. The last of the means are means over each plane across an axis, y = 1 or z = 2.
struct Wanted {
    int means = 0, maxima = 0, products = 0, values = 0;
    std::vector<TallyShape> tallies;
    std::vector<int> planes; // the axis of each

    int tallied() const {
        int operands = 0;
        for (const TallyShape& shape : tallies) operands += shape.operands();
        return operands;
    }
    int of_rows() const { return means + maxima; }
    int of_all() const { return means - static_cast<int>(planes.size()); }
    int results() const { return of_rows() + products + values + tallied(); }
};

// The counts of a tally by cell, and for each weight the sums by cell.
struct Tallied {
    std::vector<std::uint64_t> counts;
    std::vector<std::vector<double>> sums;
};

struct Found {
    std::vector<double> means, maxima;
    std::vector<Tallied> tallies;
    std::vector<std::vector<double>> planes;
};

// Fields that terms name by their number, and fields of which products become parts.
template <class Real> struct Fields {
    std::vector<Source<Real>> sources;
    std::vector<Complex<Real>*> products;
};

// Returns means and maxima over the points of all ranks, and tallies of them. A maximum is NaN if the value
// is NaN at any point. No bit depends on threads, nor on ranks if the process grid has one row. With several,
// a row of points shares its transform with another one. Calls consume(block, values) with the values of each
// batch of planes, [value][z][y][x], equally often on every rank. With `shifts` products are means over two
// grids. Collective. Throws Error if the program does not fit together, or between walls if the terms of an
// input have unlike parities.
template <class Device, class Real>
Found evaluate(RoundTrip<Device, Real>& trip, const exchange::Communicator& world, const Box& box,
               const Program& program, const Wanted& wanted, const Fields<Real>& fields, bool shifts,
               const BlockCallback<Real>& consume);

} // namespace whorl::programs

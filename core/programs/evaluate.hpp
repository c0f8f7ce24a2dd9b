// Runs a program: one round trip, or two where products are brought back without aliases by phase shifts.
#pragma once

#include <functional>
#include <vector>

#include "exchange/communicator.hpp"
#include "programs/carried.hpp"
#include "roundtrip/point_arrays.hpp"

namespace whorl::programs {

// The results of a program: first these many means, then products, then values for every point.
struct Wanted {
    int means = 0, products = 0, values = 0;
};

// Fields that terms name by their number, and the fields in which products are put, each of so many modes.
template <class Real> struct Fields {
    std::vector<Source<Real>> sources;
    std::vector<Complex<Real>*> products;
    std::vector<Parity> parities; // of the products
};

// Returns the means over the points of all ranks, whose bits do not depend on ranks and threads; calls
// consume(block, values) with the values of each batch of planes, [value][z][y][x], equally often on every
// rank. With `shifts` products are means over two grids. Collective. Throws Error if the program does not fit
// together, or between walls if the terms of an input have unlike parities.
template <class Device, class Real>
std::vector<double> evaluate(RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
                             const Box& box, const Program& program, const Wanted& wanted,
                             const Fields<Real>& fields, bool shifts, const BlockCallback<Real>& consume);

} // namespace whorl::programs

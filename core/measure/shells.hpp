// Sums over modes, in total and by shell. Shell n holds |k| / k_min in [n - 1/2, n + 1/2), k_min the smallest
// wavenumber of the box. Every mode with kx > 0 counts for its conjugate as well.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "device/cpu.hpp"
#include "exchange/communicator.hpp"
#include "exchange/watchdog.hpp"
#include "grid/row_table.hpp"
#include "roundtrip/mode.hpp"

namespace whorl {

// Where lengths are as 3 to 2, modes lie on a boundary itself: they belong to the upper shell, whatever the
// rounding of single precision made of them.
inline int shell_number(double k, double smallest_wavenumber) {
    constexpr double rounding = 2e-7;
    return static_cast<int>(k / smallest_wavenumber * (1.0 + rounding) + 0.5);
}

// What sums need to know of a rank's modes.
template <class Real> struct ModeSet {
    const device::Cpu& device;
    const exchange::Communicator& world;
    exchange::Watchdog& watchdog;
    const RowTable& table;
    ModeTables<Real> tables;
    double smallest_wavenumber;
    int shells; // 0, ..., shells - 1 over all ranks
};

// Over all ranks, in place.
template <class Real>
void reduce_ranks(const ModeSet<Real>& set, std::span<double> sums, std::span<double> maxima) {
    const exchange::Watchdog::Scope watched(set.watchdog, "sum of what was measured", -1);
    set.world.sum(sums);
    set.world.maximum(maxima);
}

// f(mode) for each of a rank's modes.
template <class Real, class F> void each_mode(const ModeSet<Real>& set, const F& f) {
    set.device.each(set.table.height(), [&](int, std::int64_t j) {
        for (int l = 0; l < set.table.nz(); ++l) {
            const Row row = set.tables.row(static_cast<int>(j), l);
            for (int i = 0; i < row.length; ++i) f(set.tables.mode(i, static_cast<int>(j), l, row.offset));
        }
    });
}

// f(mode, values) adds to `sums` values and raises the `maxima` after them; over the modes of all ranks.
template <class Real, class F>
std::vector<double> reduce_modes(const ModeSet<Real>& set, int sums, int maxima, const F& f) {
    auto total = set.device.reduce(set.table.height(), sums, maxima, [&](std::int64_t j, double* values) {
        for (int l = 0; l < set.table.nz(); ++l) {
            const Row row = set.tables.row(static_cast<int>(j), l);
            for (int i = 0; i < row.length; ++i)
                f(set.tables.mode(i, static_cast<int>(j), l, row.offset), values);
        }
    });
    reduce_ranks(set, std::span(total).first(static_cast<std::size_t>(sums)),
                 std::span(total).last(static_cast<std::size_t>(maxima)));
    return total;
}

template <class Real> int shell_of(const ModeSet<Real>& set, Wavenumber<Real> k) {
    const double x = k.x, y = k.y, z = k.z;
    const int shell = shell_number(std::sqrt(x * x + y * y + z * z), set.smallest_wavenumber);
    return std::min(shell, set.shells - 1);
}

// f(mode) summed by shell, weights included.
template <class Real, class F> std::vector<double> sum_shells(const ModeSet<Real>& set, const F& f) {
    return reduce_modes(set, set.shells, 0, [&](Mode<Real> mode, double* values) {
        values[shell_of(set, mode.k)] += static_cast<double>(mode.weight) * f(mode);
    });
}

} // namespace whorl

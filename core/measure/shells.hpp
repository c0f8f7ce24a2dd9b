// Sums over modes, in total and by shell (grid/box.hpp). Every mode with kx > 0 counts for its conjugate as
// well. The summand is a small copyable struct that is called on the device.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "exchange/communicator.hpp"
#include "exchange/watchdog.hpp"
#include "grid/box.hpp"
#include "grid/row_table.hpp"
#include "roundtrip/mode.hpp"

namespace whorl {

// Shells 0, ..., count - 1 over all ranks.
struct Shells {
    double smallest_wavenumber;
    int count;

    template <class Real> WHORL_INLINE int of(Wavenumber<Real> k) const {
        const double x = k.x, y = k.y, z = k.z;
        const int shell = shell_number(std::sqrt(x * x + y * y + z * z), smallest_wavenumber);
        return shell < count ? shell : count - 1;
    }
};

// The data of a rank's modes that sums need.
template <class Device, class Real> struct ModeSet {
    Device& device;
    const exchange::Communicator& world;
    exchange::Watchdog& watchdog;
    const RowTable& table;
    ModeTables<Real> tables;
    Shells shells;

    std::int64_t rows() const { return static_cast<std::int64_t>(table.height()) * table.nz(); }
};

// Reduces over all ranks, in place.
template <class Device, class Real>
void reduce_ranks(const ModeSet<Device, Real>& set, std::span<double> sums, std::span<double> maxima) {
    const exchange::Watchdog::Scope watched(set.watchdog, "sum of what was measured", -1);
    set.world.sum(sums);
    if (!maxima.empty()) set.world.maximum(maxima);
}

// Calls f(mode) for every mode; row r = (ky, kz).
template <class Real, class F> struct EachMode {
    ModeTables<Real> tables;
    F f;

    struct RowOf {
        const EachMode& of;
        int j, l;
        std::int64_t offset;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const { of.f(of.tables.mode(i, j, l, offset)); }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int j = static_cast<int>(r / tables.nz), l = static_cast<int>(r % tables.nz);
        const Row modes = tables.row(j, l);
        return {*this, j, l, modes.offset, modes.length};
    }
};

// Calls f(mode, values) for the modes of a row.
template <class Real, class F> struct AddRow {
    ModeTables<Real> tables;
    F f;

    WHORL_INLINE void operator()(std::int64_t r, double* values) const {
        const int j = static_cast<int>(r / tables.nz), l = static_cast<int>(r % tables.nz);
        const Row modes = tables.row(j, l);
        for (int i = 0; i < modes.length; ++i) f(tables.mode(i, j, l, modes.offset), values);
    }
};

// Calls f(mode) for each of a rank's modes.
template <class Device, class Real, class F> void each_mode(const ModeSet<Device, Real>& set, const F& f) {
    set.device.over(set.rows(), EachMode<Real, F>{set.tables, f});
}

// f(mode, values) adds to the first `sums` values and updates the following `maxima`; over the modes of all
// ranks.
template <class Device, class Real, class F>
std::vector<double> reduce_modes(const ModeSet<Device, Real>& set, int sums, int maxima, const F& f) {
    auto total = set.device.reduce(set.rows(), sums, maxima, AddRow<Real, F>{set.tables, f});
    reduce_ranks(set, std::span(total).first(static_cast<std::size_t>(sums)),
                 std::span(total).last(static_cast<std::size_t>(maxima)));
    return total;
}

template <class Real, class F> struct AddToShell {
    Shells shells;
    F f;

    WHORL_INLINE void operator()(Mode<Real> mode, double* values) const {
        values[shells.of(mode.k)] += static_cast<double>(mode.weight) * f(mode);
    }
};

// The sum of f(mode) by shell, including the weights.
template <class Device, class Real, class F>
std::vector<double> sum_shells(const ModeSet<Device, Real>& set, const F& f) {
    return reduce_modes(set, set.shells.count, 0, AddToShell<Real, F>{set.shells, f});
}

} // namespace whorl

// A mode as models see it, and the tables from which it is looked up.
#pragma once

#include <cstdint>

#include "base/complex.hpp"
#include "base/macros.hpp"
#include "grid/row_table.hpp"

namespace whorl {

template <class Real> struct Wavenumber {
    Real x, y, z;
    bool operator==(const Wavenumber&) const = default;
};

template <class Real> WHORL_INLINE Wavenumber<double> widened(Wavenumber<Real> k) { return {k.x, k.y, k.z}; }
template <class Real> WHORL_INLINE Real square(Wavenumber<Real> k) {
    return k.x * k.x + k.y * k.y + k.z * k.z;
}
// 1 / k^2, and 0 for the mean.
template <class Real> WHORL_INLINE Real inverse_square(Wavenumber<Real> k) {
    const Real k2 = square(k);
    return k2 > Real(0) ? Real(1) / k2 : Real(0);
}

template <class Real> struct Mode {
    Wavenumber<Real> k; // in 1 / length
    std::int64_t index; // within a field of the state
    // The number of wavenumbers a mode represents: 2 for kx > 0, where it represents -k as well, else 1;
    // twice as many for ky > 0, and for kz > 0, along an axis with walls.
    Real weight;
};

// Look-ups of one rank's modes, callable on a device; tables are indexed within the rank's own kx and ky.
template <class Real> struct ModeTables {
    const Real* kx;
    const Real* ky;
    const Real* kz;
    const Row* rows; // [ky][kz]
    int nz;
    bool has_kx_zero;
    bool wall_y, wall_z;
    int paired; // 1 where two wavenumbers share an element of a row (grid/pencils.hpp), else 0

    WHORL_INLINE Row row(int j, int l) const { return rows[static_cast<std::int64_t>(j) * nz + l]; }
    WHORL_INLINE Mode<Real> mode(std::int64_t i, int j, int l, std::int64_t offset) const {
        return {{kx[i], ky[j], kz[l]},
                offset + i,
                ((i == 0 && has_kx_zero) ? Real(1) : Real(2)) * row_weight(j, l)};
    }
    WHORL_INLINE Real row_weight(int j, int l) const {
        return (wall_y && ky[j] > Real(0) ? Real(2) : Real(1)) *
               (wall_z && kz[l] > Real(0) ? Real(2) : Real(1));
    }
};

// Modes of a row that threads work on together: their values fit in the first cache.
inline constexpr int modes_at_once = 96;

// Modes of one ky and kz side by side.
template <class Real> struct ModeRow {
    const Real* kx; // of the first
    Real ky, kz;
    Real weight; // of those with kx > 0
    bool from_zero;
    int first, j, l;    // among the rank's own kx, ky, kz
    std::int64_t index; // of the first, within a field of the state
    int length;

    ModeRow() = default;
    WHORL_INLINE ModeRow(const ModeTables<Real>& tables, int first_kx, int at_ky, int at_kz, int count)
        : kx(tables.kx + first_kx), ky(tables.ky[at_ky]), kz(tables.kz[at_kz]),
          weight(Real(2) * tables.row_weight(at_ky, at_kz)), from_zero(first_kx == 0 && tables.has_kx_zero),
          first(first_kx), j(at_ky), l(at_kz), index(tables.row(at_ky, at_kz).offset + first_kx),
          length(count) {}

    WHORL_INLINE Wavenumber<Real> k(std::int64_t i) const { return {kx[i], ky, kz}; }
    WHORL_INLINE Mode<Real> mode(std::int64_t i) const {
        return {k(i), index + i, i == 0 && from_zero ? weight / 2 : weight};
    }
    // Whether the first is the mean, k = 0.
    WHORL_INLINE bool has_mean() const { return from_zero && ky == Real(0) && kz == Real(0); }
    // A part of the row: at most `most` of these modes, from number `begin` on.
    ModeRow slice(int begin, int most) const {
        ModeRow row = *this;
        row.kx += begin;
        row.from_zero = from_zero && begin == 0;
        row.first += begin;
        row.index += begin;
        row.length = length - begin < most ? length - begin : most;
        return row;
    }
};

// A grid point's indices in the whole box.
struct Point {
    int x, y, z;
};

} // namespace whorl

// A mode as models see it, and the tables from which it is looked up.
#pragma once

#include <cstdint>

#include "base/complex.hpp"
#include "base/macros.hpp"
#include "grid/row_table.hpp"

namespace whorl {

template <class Real> struct Wavenumber {
    Real x, y, z;
};

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
    Real weight;        // 1 for kx = 0, 2 for kx > 0, which stands for -k as well
};

// Device-callable look-ups of one rank's modes; tables are indexed within the rank's own blocks.
template <class Real> struct ModeTables {
    const Real* kx;
    const Real* ky;
    const Real* kz;
    const Row* rows; // [ky][kz]
    int nz;
    bool has_kx_zero;

    WHORL_INLINE Row row(int j, int l) const { return rows[static_cast<std::int64_t>(j) * nz + l]; }
    WHORL_INLINE Mode<Real> mode(std::int64_t i, int j, int l, std::int64_t offset) const {
        return {{kx[i], ky[j], kz[l]}, offset + i, (i == 0 && has_kx_zero) ? Real(1) : Real(2)};
    }
};

// A grid point's indices in the whole box.
struct Point {
    int x, y, z;
};

} // namespace whorl

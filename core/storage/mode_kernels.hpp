// Kernels that copy modes between the state and a staging area in the order of a checkpoint. Of a solenoidal
// field the two independent components are stored (models/continuity.hpp); the dependent one is determined in
// the precision of the file.
#pragma once

#include "base/complex.hpp"
#include "grid/row_table.hpp"
#include "models/continuity.hpp"

namespace whorl::storage {

// Wavenumbers of a rank's modes.
template <class Real> struct WavenumberTables {
    const Real* x;
    const Real* y;
    const Real* z;
    WHORL_INLINE Wavenumber<Real> at(int i, int j, int l) const { return {x[i], y[j], z[l]}; }
};

// Positions of the columns of a slice; a kernel's row is one of them.
struct SliceTables {
    const Row* rows; // [ky][kz]
    const std::int64_t* staged;
    const std::int32_t* counts;
    int first_kx, height, nz;
    bool wall_z;
    std::int64_t modes; // of one field

    struct Column {
        int i, j, count;
        std::int64_t staged;
    };
    WHORL_INLINE Column column(std::int64_t r) const {
        return {first_kx + static_cast<int>(r / height), static_cast<int>(r % height), counts[r], staged[r]};
    }
    // Index in z of the m-th mode of a column.
    WHORL_INLINE int plane(int m, int count) const { return wall_z || 2 * m < count ? m : nz - count + m; }
    WHORL_INLINE std::int64_t state(const Column& column, int l) const {
        return rows[static_cast<std::int64_t>(column.j) * nz + l].offset + column.i;
    }
};

// Field -> staging area, `components` components.
template <class Real, int components> struct PackModes {
    SliceTables slice;
    WavenumberTables<Real> k;
    const Complex<Real>* field;
    Complex<Real>* staged[components];

    struct RowOf {
        const PackModes& of;
        SliceTables::Column column;
        int length;
        WHORL_INLINE void operator()(std::int64_t m) const {
            const int l = of.slice.plane(static_cast<int>(m), length);
            const std::int64_t at = of.slice.state(column, l), to = column.staged + m, n = of.slice.modes;
            if constexpr (components == 1) {
                of.staged[0][to] = of.field[at];
            } else {
                const int dependent = dependent_axis(of.k.at(column.i, column.j, l));
                of.staged[0][to] = of.field[(dependent == 0 ? n : 0) + at];
                of.staged[1][to] = of.field[(dependent <= 1 ? 2 : 1) * n + at];
            }
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const SliceTables::Column column = slice.column(r);
        return {*this, column, column.count};
    }
};

// Sets the component along `axis` from k.a = 0; for the mean (axis 3) the z component is `mean_z`.
template <class Real>
WHORL_INLINE void complete(Wavenumber<Real> k, int axis, Complex<Real> mean_z, Complex<Real>* a) {
    if (axis == 3) {
        a[2] = mean_z;
        return;
    }
    const Real along = axis == 0 ? k.x : (axis == 1 ? k.y : k.z);
    a[axis] = {0, 0};
    a[axis] = (Real(-1) / along) * (k.x * a[0] + k.y * a[1] + k.z * a[2]);
    close_continuity(k, a);
}

// Staging area, of any precision -> field.
template <class Stored, class Real, int components> struct UnpackModes {
    SliceTables slice;
    WavenumberTables<Stored> stored_k;
    WavenumberTables<Real> k;
    Complex<Real>* field;
    Complex<Real> mean_z;
    const Complex<Stored>* staged[components];

    struct RowOf {
        const UnpackModes& of;
        SliceTables::Column column;
        int length;
        WHORL_INLINE Complex<Real> value(int component, std::int64_t m) const {
            const Complex<Stored> stored = of.staged[component][column.staged + m];
            return {static_cast<Real>(stored.re), static_cast<Real>(stored.im)};
        }
        WHORL_INLINE void operator()(std::int64_t m) const {
            const int l = of.slice.plane(static_cast<int>(m), length);
            const std::int64_t at = of.slice.state(column, l), n = of.slice.modes;
            if constexpr (components == 1) {
                of.field[at] = value(0, m);
            } else {
                const int missing = dependent_axis(of.stored_k.at(column.i, column.j, l));
                const Complex<Real> first = value(0, m), second = value(1, m);
                Complex<Real> a[3];
                a[0] = first;
                a[1] = missing == 0 ? first : second;
                a[2] = second;
                complete(of.k.at(column.i, column.j, l), missing, of.mean_z, a);
                for (int v = 0; v < 3; ++v) of.field[v * n + at] = a[v];
            }
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const SliceTables::Column column = slice.column(r);
        return {*this, column, column.count};
    }
};

} // namespace whorl::storage

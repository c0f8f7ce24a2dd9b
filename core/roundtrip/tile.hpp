// Columns of a rank side by side, between modes and the z-pencil.
#pragma once

#include "device/line_plan.hpp"
#include "roundtrip/layout.hpp"
#include "roundtrip/mode.hpp"

namespace whorl::kernels {

// Consecutive kept columns of a rank, all z: [variable][z][column].
template <class Real> struct Columns {
    Complex<Real>* data;
    int count, nz;
    std::int64_t pitch, stride; // from one z to the next, and between variables
    std::int64_t first;         // number of the first among the rank's columns

    WHORL_INLINE Complex<Real>* line(int v, int l) const { return data + v * stride + l * pitch; }
};

// `count` columns of the z-pencil from number `first` on.
template <class Real> struct PencilColumns {
    Complex<Real>* pencil;
    const PlaneAddress* planes;
    std::int64_t first;
    int count;

    WHORL_INLINE device::LineRow<Real> row(int v, int l) const {
        return {pencil + planes[l].base + v * planes[l].stride + first, count};
    }
};

// The columns of a tile that lie in one ky: `count` elements from `first`, from column `lane` on.
struct ColumnRun {
    int ky, first, count, lane;
};

// Columns as a thread transforms them together. A row of a tile is the modes of one run and one kept kz.
template <class Real> struct Tile : Columns<Real> {
    int extent_z; // the largest kept kz
    int kept_z;   // number of kept kz
    int run_count;
    const ColumnRun* runs;

    int rows() const { return run_count * kept_z; }
    const ColumnRun& run(int r) const { return runs[r / kept_z]; }
    // The plane of the kept kz of row r.
    int plane(int r) const { return wrapped(signed_index(r % kept_z, extent_z), this->nz); }
    Complex<Real>* values(int v, int r) const { return this->line(v, plane(r)) + run(r).lane; }
    ModeRow<Real> modes(const ModeTables<Real>& tables, int r) const {
        const ColumnRun& of = run(r);
        const int l = plane(r), from = of.first << tables.paired, most = of.count << tables.paired;
        const int left = tables.row(of.ky, l).length - from;
        return {tables, from, of.ky, l, left < 0 ? 0 : (left < most ? left : most)};
    }
};

} // namespace whorl::kernels

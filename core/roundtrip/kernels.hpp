// The copies of a round trip. Each pads, truncates, shifts or combines while it moves a line, so that none of
// these is ever a pass of its own. A kernel's row(r) gives a row of `length` elements for the device to run
// over.
#pragma once

#include "base/complex.hpp"
#include "base/macros.hpp"
#include "base/unrolled.hpp"
#include "device/lines.hpp"
#include "roundtrip/layout.hpp"
#include "roundtrip/mode.hpp"

namespace whorl::kernels {

// exp(i k.d) = x[i] y[j] z[l]: what moves a field to a grid shifted by d; x is null on the unshifted grid.
template <class Real> struct Shift {
    const Complex<Real>* x = nullptr;
    const Complex<Real>* y = nullptr;
    const Complex<Real>* z = nullptr;
};

// Consecutive kept columns of a rank, all z, side by side: [variable][z][lane].
template <class Real> struct Tile {
    Complex<Real>* data;
    int count, lanes, nz;
    int extent_z;        // the largest kept kz
    int kept_z;          // how many are kept
    std::int64_t stride; // between variables
    std::int64_t column; // the first of them among the rank's columns

    WHORL_INLINE Complex<Real>* line(int v, int l) const {
        return data + v * stride + static_cast<std::int64_t>(l) * lanes;
    }
    // The same columns of the variables from v on.
    WHORL_INLINE Tile from(int v) const {
        return {data + v * stride, count, lanes, nz, extent_z, kept_z, stride, column};
    }
    // Plane of the i-th kept kz.
    WHORL_INLINE int kept(std::int64_t i) const {
        return wrapped(signed_index(static_cast<int>(i), extent_z), nz);
    }
};

// The part of a tile that lies in one ky: `count` elements from `first`, in the lanes from `lane`.
struct Segment {
    int ky, first, count, lane;

    // How many of them hold kept modes at plane l.
    template <class Tables> WHORL_INLINE int live(const Tables& tables, int l) const {
        const int left = tables.elements(ky, l) - first;
        return left < 0 ? 0 : (left < count ? left : count);
    }
};

// tile = load(mode) exp(i k.d) on the kept modes; row r is a kept kz.
template <class Real, class Pass, bool shifted> struct Load {
    Pass pass;
    ModeTables<Real> tables;
    Tile<Real> tile;
    Segment segment;
    Shift<Real> shift;

    struct RowOf {
        const Load& of;
        int l;
        Complex<Real>* line;
        std::int64_t offset;
        Complex<Real> phase;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const std::int64_t column = of.segment.first + i;
            Complex<Real> in[Pass::inputs > 0 ? Pass::inputs : 1];
            of.pass.load(of.tables.mode(column, of.segment.ky, l, offset), in);
            unrolled<Pass::inputs>([&](auto v) {
                if constexpr (shifted) in[v] = in[v] * (phase * of.shift.x[column]);
                copy(in[v], line[v * of.tile.stride + i]);
            });
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int l = tile.kept(r);
        Complex<Real> phase{1, 0};
        if constexpr (shifted) phase = shift.y[segment.ky] * shift.z[l];
        return {*this,
                l,
                tile.line(0, l) + segment.lane,
                tables.row(segment.ky, l).offset,
                phase,
                segment.live(tables, l)};
    }
};

// Zeroes the modes of a segment that Load leaves out in the kept kz, and `spare` lanes behind it; row r =
// (variable, kept kz).
template <class Real> struct LoadPadding {
    ModeTables<Real> tables;
    Tile<Real> tile;
    Segment segment;
    int spare;

    struct RowOf {
        Complex<Real>* line;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const { line[i] = {0, 0}; }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int v = static_cast<int>(r / tile.kept_z);
        const int l = tile.kept(r % tile.kept_z);
        const int live = segment.live(tables, l);
        return {tile.line(v, l) + segment.lane + live, segment.count - live + spare};
    }
};

// Where the lines of a tile lie in the column buffer.
template <class Real> struct ColumnRows {
    Tile<Real> tile;
    Complex<Real>* buffer;
    const PlaneSlot* slots;

    WHORL_INLINE device::LineRow<Real> row(int v, int l) const {
        return {buffer + slots[l].base + v * slots[l].stride + tile.column, tile.count};
    }
};

// store(mode, line exp(-i k.d)) on the kept modes; row r is a kept kz.
template <class Real, class Result, int fluxes, bool shifted> struct Store {
    Result result;
    ModeTables<Real> tables;
    Tile<Real> tile;
    Segment segment;
    Shift<Real> shift;

    struct RowOf {
        const Store& of;
        int l;
        const Complex<Real>* line;
        std::int64_t offset;
        Complex<Real> phase;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const std::int64_t column = of.segment.first + i;
            Complex<Real> out[fluxes];
            unrolled<fluxes>([&](auto v) {
                out[v] = line[v * of.tile.stride + i];
                if constexpr (shifted) out[v] = out[v] * conjugate(phase * of.shift.x[column]);
            });
            of.result.store(of.tables.mode(column, of.segment.ky, l, offset), out);
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int l = tile.kept(r);
        Complex<Real> phase{1, 0};
        if constexpr (shifted) phase = shift.y[segment.ky] * shift.z[l];
        return {*this,
                l,
                tile.line(0, l) + segment.lane,
                tables.row(segment.ky, l).offset,
                phase,
                segment.live(tables, l)};
    }
};

// One plane between the transforms along y and x: [variable][y][element], rows `pitch` apart.
template <class Real> struct Plane {
    Complex<Real>* data;
    int ny, width, pitch;
    std::int64_t stride; // between variables

    WHORL_INLINE Complex<Real>* row(int v, int y) const {
        return data + v * stride + static_cast<std::int64_t>(y) * pitch;
    }
    // The variables from v on.
    WHORL_INLINE Plane from(int v) const { return {data + v * stride, ny, width, pitch, stride}; }
};

// Column buffer -> plane, in the order it was written; row r = (variable, kept ky).
template <class Real> struct Spread {
    Plane<Real> plane;
    const Complex<Real>* buffer;
    const PlaneSlot* slots; // of this plane, a column peer each
    const ColumnRow* rows;
    int extent_y, kept_y;

    struct RowOf {
        const Complex<Real>* from;
        Complex<Real>* to;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const { copy(from[i], to[i]); }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int v = static_cast<int>(r / kept_y), j = static_cast<int>(r % kept_y);
        const ColumnRow source = rows[j];
        const PlaneSlot slot = slots[source.peer];
        return {buffer + slot.base + v * slot.stride + source.offset,
                plane.row(v, wrapped(signed_index(j, extent_y), plane.ny)), source.length};
    }
};

// Zeroes what Spread leaves out of its rows: kx beyond the cylinder of kept columns.
template <class Real> struct SpreadPadding {
    Spread<Real> spread;

    struct RowOf {
        Complex<Real>* line;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const { line[i] = {0, 0}; }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const auto row = spread.row(r);
        return {row.to + row.length, spread.plane.width - row.length};
    }
};

// contract(kx, ky, products) of a plane -> rows of fluxes, as far apart as the plane's; row r is a kept ky,
// and target(r) is where its fluxes belong in the column buffer.
template <class Real, class Pass> struct Contract {
    Pass pass;
    Plane<Real> plane;
    Complex<Real>* fluxes;
    const PlaneSlot* slots;
    const ColumnRow* rows;
    const Real* kx;     // of the y-pencil
    const Real* all_ky; // of every kept ky
    int extent_y;

    struct RowOf {
        const Contract& of;
        const Complex<Real>* from;
        Real ky;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            Complex<Real> products[Pass::products > 0 ? Pass::products : 1];
            Complex<Real> sums[Pass::fluxes > 0 ? Pass::fluxes : 1];
            unrolled<Pass::products>([&](auto v) { copy(from[v * of.plane.stride + i], products[v]); });
            of.pass.contract(of.kx[i], ky, products, sums);
            unrolled<Pass::fluxes>([&](auto v) { copy(sums[v], of.fluxes[v * of.plane.pitch + i]); });
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int j = static_cast<int>(r);
        return {*this, plane.row(0, wrapped(signed_index(j, extent_y), plane.ny)), all_ky[j], rows[j].length};
    }
    WHORL_INLINE PlaneSlot target(std::int64_t r) const {
        const PlaneSlot slot = slots[rows[r].peer];
        return {slot.base + rows[r].offset, slot.stride};
    }
};

// Rows of y of a plane <-> one row peer's chunk [variable][plane][row of its y block][kx].
template <class Real, bool to_buffer> struct MoveRows {
    Plane<Real> plane;
    Complex<Real>* chunk; // at this plane
    std::int64_t stride;  // between variables of the chunk
    Block rows;

    struct RowOf {
        Complex<Real>* in_plane;
        Complex<Real>* in_chunk;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            if constexpr (to_buffer)
                in_chunk[i] = in_plane[i];
            else
                in_plane[i] = in_chunk[i];
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int v = static_cast<int>(r / rows.size());
        const int y = static_cast<int>(r % rows.size());
        return {plane.row(v, rows.begin + y), chunk + v * stride + static_cast<std::int64_t>(y) * plane.width,
                plane.width};
    }
};

} // namespace whorl::kernels

// The copies of a round trip. Each pads, truncates, shifts or combines while it moves a line, so that none of
// these is ever a pass of its own. A kernel's row(r) gives a row of `length` elements for the device to run
// over.
#pragma once

#include <cmath>
#include <numbers>

#include "base/complex.hpp"
#include "base/macros.hpp"
#include "base/unrolled.hpp"
#include "device/lines.hpp"
#include "roundtrip/layout.hpp"
#include "roundtrip/mode.hpp"

namespace whorl::kernels {

// exp(i k.d) = x[i] y[j] z[l]: what moves a field to a grid shifted by d.
template <class Real> struct Shift {
    const Complex<Real>* x = nullptr;
    const Complex<Real>* y = nullptr;
    const Complex<Real>* z = nullptr;
};

// phases[i] = exp(2 pi i numbers[i] cells / points): one axis of a Shift by so many cells.
template <class Real> struct Phases {
    const int* numbers;
    Complex<Real>* phases;
    double cells;
    int points, length;

    WHORL_INLINE const Phases& row(std::int64_t) const { return *this; }
    WHORL_INLINE void operator()(std::int64_t i) const {
        const double phase = 2.0 * std::numbers::pi * numbers[i] * cells / points;
        phases[i] = {static_cast<Real>(std::cos(phase)), static_cast<Real>(std::sin(phase))};
    }
};

// Rows of kernels: one of zeroes, and one that is copied there or back.
template <class T> struct ZeroRow {
    T* to;
    int length;
    WHORL_INLINE void operator()(std::int64_t i) const { to[i] = T{}; }
};
template <class Real, bool there> struct CopyRow {
    Complex<Real>* here;
    Complex<Real>* other;
    int length;
    WHORL_INLINE void operator()(std::int64_t i) const {
        if constexpr (there)
            other[i] = here[i];
        else
            here[i] = other[i];
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

// Consecutive kept columns of a rank, all z, side by side: [variable][z][lane].
template <class Real> struct Tile {
    Complex<Real>* data;
    int count, nz;
    int extent_z; // the largest kept kz
    int kept_z;   // how many are kept
    int segment_count;
    const Segment* segments;
    std::int64_t lanes;
    std::int64_t stride; // between variables
    std::int64_t column; // the first of them among the rank's columns

    WHORL_INLINE Complex<Real>* line(int v, int l) const { return data + v * stride + l * lanes; }
    // The same columns of the variables from v on.
    WHORL_INLINE Tile from(int v) const {
        Tile tile = *this;
        tile.data += v * stride;
        return tile;
    }
    // Rows of the kernels below: (segment, kept kz).
    std::int64_t rows() const { return static_cast<std::int64_t>(segment_count) * kept_z; }
    WHORL_INLINE const Segment& segment(int r) const { return segments[r / kept_z]; }
    // Plane of the kept kz.
    WHORL_INLINE int plane(int r) const { return wrapped(signed_index(r % kept_z, extent_z), nz); }
};

// Some modes side by side, and their values: variable v of mode i is data[v * stride + i].
template <class Real> struct ModeValues {
    ModeRow<Real> modes;
    Complex<Real>* data;
    std::int64_t stride;

    WHORL_INLINE void put(int v, std::int64_t i, Complex<Real> value) const {
        copy(value, data[v * stride + i]);
    }
    WHORL_INLINE Complex<Real> get(int v, std::int64_t i) const {
        Complex<Real> value;
        copy(data[v * stride + i], value);
        return value;
    }
};
// The same on a shifted grid: times exp(i k.d) as they are put there, and back.
template <class Real> struct ShiftedValues {
    ModeValues<Real> row;
    const Complex<Real>* x;
    Complex<Real> phase;

    WHORL_INLINE void put(int v, std::int64_t i, Complex<Real> value) const {
        row.put(v, i, value * (phase * x[i]));
    }
    WHORL_INLINE Complex<Real> get(int v, std::int64_t i) const {
        return row.get(v, i) * conjugate(phase * x[i]);
    }
};
// Those of a tile's row r.
template <class Real>
WHORL_INLINE ModeValues<Real> values_of_row(const ModeTables<Real>& tables, const Tile<Real>& tile,
                                            std::int64_t r) {
    const Segment& segment = tile.segment(static_cast<int>(r));
    const int l = tile.plane(static_cast<int>(r));
    return {{tables, segment.first, segment.ky, l, segment.live(tables, l)},
            tile.line(0, l) + segment.lane,
            tile.stride};
}
template <class Real>
WHORL_INLINE ShiftedValues<Real> shifted_values(const ModeValues<Real>& row, const Shift<Real>& shift) {
    return {row, shift.x + row.modes.first, shift.y[row.modes.j] * shift.z[row.modes.l]};
}

// values = load(mode), of a row.
template <class Real, class Pass, class Values> struct LoadRow {
    const Pass& pass;
    ModeRow<Real> modes;
    Values values;
    int length;
    WHORL_INLINE void operator()(std::int64_t i) const {
        Complex<Real> in[Pass::inputs > 0 ? Pass::inputs : 1];
        pass.load(modes.mode(i), in);
        unrolled<Pass::inputs>([&](auto v) { values.put(v, i, in[v]); });
    }
};
// store(mode, values), of a row.
template <class Real, class Result, int fluxes, class Values> struct StoreRow {
    const Result& result;
    ModeRow<Real> modes;
    Values values;
    int length;
    WHORL_INLINE void operator()(std::int64_t i) const {
        Complex<Real> out[fluxes > 0 ? fluxes : 1];
        unrolled<fluxes>([&](auto v) { out[v] = values.get(v, i); });
        result.store(modes.mode(i), out);
    }
};

// tile = load(mode) exp(i k.d) on the kept modes.
template <class Real, class Pass> struct Load {
    Pass pass;
    ModeTables<Real> tables;
    Tile<Real> tile;
    Shift<Real> shift;

    WHORL_INLINE LoadRow<Real, Pass, ShiftedValues<Real>> row(std::int64_t r) const {
        const ModeValues<Real> row = values_of_row(tables, tile, r);
        return {pass, row.modes, shifted_values(row, shift), row.modes.length};
    }
};

// Zeroes the modes of a tile that Load leaves out in the kept kz, and `spare` lanes behind the last; row r =
// (segment, variable, kept kz).
template <class Real> struct LoadPadding {
    ModeTables<Real> tables;
    Tile<Real> tile;
    int variables, spare;

    WHORL_INLINE ZeroRow<Complex<Real>> row(std::int64_t r) const {
        const int q = static_cast<int>(r) / tile.kept_z;
        const int s = q / variables, v = q % variables, l = tile.plane(static_cast<int>(r));
        const Segment& segment = tile.segments[s];
        const int live = segment.live(tables, l), behind = s + 1 == tile.segment_count ? spare : 0;
        return {tile.line(v, l) + segment.lane + live, segment.count - live + behind};
    }
};

// Where the lines of a tile lie in the z-pencil.
template <class Real> struct ColumnRows {
    Tile<Real> tile;
    Complex<Real>* buffer;
    const PlaneSlot* slots;

    WHORL_INLINE device::LineRow<Real> row(int v, int l) const {
        return {buffer + slots[l].base + v * slots[l].stride + tile.column, tile.count};
    }
};

// Tile <-> its columns of the buffer; row r = (variable, z).
template <class Real, bool to_buffer> struct MoveColumns {
    ColumnRows<Real> columns;

    WHORL_INLINE CopyRow<Real, to_buffer> row(std::int64_t r) const {
        const int v = static_cast<int>(r / columns.tile.nz), l = static_cast<int>(r % columns.tile.nz);
        const device::LineRow<Real> row = columns.row(v, l);
        return {columns.tile.line(v, l), row.data, row.length};
    }
};

// store(mode, tile exp(-i k.d)) on the kept modes.
template <class Real, class Result, int fluxes> struct Store {
    Result result;
    ModeTables<Real> tables;
    Tile<Real> tile;
    Shift<Real> shift;

    WHORL_INLINE StoreRow<Real, Result, fluxes, ShiftedValues<Real>> row(std::int64_t r) const {
        const ModeValues<Real> row = values_of_row(tables, tile, r);
        return {result, row.modes, shifted_values(row, shift), row.modes.length};
    }
};

// Some planes between the transforms along y and x: [variable][y][plane][element], rows `pitch` apart.
template <class Real> struct Planes {
    Complex<Real>* data;
    int ny, count, width, pitch;
    std::int64_t stride; // between variables

    WHORL_INLINE Complex<Real>* row(int v, int y, int plane) const {
        return data + v * stride + (static_cast<std::int64_t>(y) * count + plane) * pitch;
    }
    // The variables from v on.
    WHORL_INLINE Planes from(int v) const { return {data + v * stride, ny, count, width, pitch, stride}; }
};

// Place among the kept ky of element j of a line along y, -1 where it is none of them.
WHORL_INLINE int kept_place(int j, int extent, int n) {
    if (j <= extent) return j;
    const int below_the_end = j - n + extent;
    return below_the_end < 0 ? -1 : extent + 1 + below_the_end;
}

// y-pencil -> planes, in the order it was written; row r = (variable, plane, kept ky).
template <class Real> struct Spread {
    Planes<Real> planes;
    const Complex<Real>* buffer;
    const PlaneSlot* slots; // of these planes, a column peer each
    const ColumnRow* rows;
    int extent_y, kept_y, peers;

    struct RowOf {
        const Complex<Real>* from;
        Complex<Real>* to;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const { copy(from[i], to[i]); }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int q = static_cast<int>(r) / kept_y, j = static_cast<int>(r) % kept_y;
        const int v = planes.count == 1 ? q : q / planes.count, plane = q - v * planes.count;
        const ColumnRow source = rows[j];
        const PlaneSlot slot = slots[plane * peers + source.peer];
        return {buffer + slot.base + v * slot.stride + source.offset,
                planes.row(v, wrapped(signed_index(j, extent_y), planes.ny), plane), source.length};
    }
};

// Zeroes what Spread leaves out of its rows: kx beyond the cylinder of kept columns.
template <class Real> struct SpreadPadding {
    Spread<Real> spread;

    WHORL_INLINE ZeroRow<Complex<Real>> row(std::int64_t r) const {
        const auto row = spread.row(r);
        return {row.to + row.length, spread.planes.width - row.length};
    }
};

// contract(kx, ky, products) -> rows of fluxes: where target(r) says in the y-pencil, or, where a
// device has a better way to get them there, in `block`, as far apart as the planes' rows. Row r = (plane,
// kept ky).
template <class Real, class Pass> struct Contract {
    Pass pass;
    Planes<Real> planes;
    Complex<Real>* block;
    Complex<Real>* buffer;
    int first_flux;
    const PlaneSlot* slots;
    const ColumnRow* rows;
    const Real* kx;     // of the y-pencil
    const Real* all_ky; // of every kept ky
    int extent_y, kept_y, peers;

    struct RowOf {
        const Contract& of;
        const Complex<Real>* from;
        Complex<Real>* to;
        std::int64_t stride; // between fluxes
        Real ky;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            Complex<Real> products[Pass::products > 0 ? Pass::products : 1];
            unrolled<Pass::products>([&](auto v) { copy(from[v * of.planes.stride + i], products[v]); });
            contract(i, products);
        }
        WHORL_INLINE void contract(std::int64_t i, const Complex<Real>* products) const {
            Complex<Real> sums[Pass::fluxes > 0 ? Pass::fluxes : 1];
            of.pass.contract(of.kx[i], ky, products, sums);
            unrolled<Pass::fluxes>([&](auto v) { copy(sums[v], to[v * stride + i]); });
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int plane = static_cast<int>(r) / kept_y, j = static_cast<int>(r) % kept_y;
        const PlaneSlot slot = target(r);
        return {*this,
                planes.row(0, wrapped(signed_index(j, extent_y), planes.ny), plane),
                block ? block : buffer + slot.base,
                block ? planes.pitch : slot.stride,
                all_ky[j],
                rows[j].length};
    }
    // Of the first flux, and from one to the next.
    WHORL_INLINE PlaneSlot target(std::int64_t r) const {
        const int plane = static_cast<int>(r) / kept_y, j = static_cast<int>(r) % kept_y;
        const PlaneSlot slot = slots[plane * peers + rows[j].peer];
        return {slot.base + rows[j].offset + first_flux * slot.stride, slot.stride};
    }
};

// Rows of y of some planes <-> one row peer's chunk [variable][plane][row of its y block][kx].
template <class Real, bool to_buffer> struct MoveRows {
    Planes<Real> planes;
    Complex<Real>* chunk;              // at the first of these planes
    std::int64_t stride, plane_stride; // between variables, and planes, of the chunk
    Block rows;

    WHORL_INLINE CopyRow<Real, to_buffer> row(std::int64_t r) const {
        const int q = static_cast<int>(r) / rows.size(), y = static_cast<int>(r) % rows.size();
        const int v = q / planes.count, plane = q % planes.count;
        return {planes.row(v, rows.begin + y, plane),
                chunk + v * stride + plane * plane_stride + static_cast<std::int64_t>(y) * planes.width,
                planes.width};
    }
};

} // namespace whorl::kernels

// Ends of programs of lines (device/block_lines.hpp): what the kernels of kernels.hpp do, done as a transform
// reads or writes, without a pass of its own.
#pragma once

#include "roundtrip/kernels.hpp"

namespace whorl::kernels {

// y-pencil -> lines along y of planes (Spread, SpreadPadding). Group = (variable, plane), lane = kx.
template <class Real> struct SpreadLines {
    static constexpr int variables = 1; // of a block
    Spread<Real> spread;

    struct Of {
        const Spread<Real>& spread;
        int v, plane, first;

        WHORL_INLINE void get(int j, int lane, Complex<Real>* value) const {
            const int kept = kept_place(j, spread.extent_y, spread.planes.ny), i = first + lane;
            const ColumnRow row = spread.rows[kept < 0 ? 0 : kept];
            const PlaneSlot slot = spread.slots[plane * spread.peers + row.peer];
            *value = {0, 0};
            if (kept >= 0 && i < row.length)
                *value = spread.buffer[slot.base + v * slot.stride + row.offset + i];
        }
        WHORL_INLINE void set(int j, int lane, const Complex<Real>* value) const {
            spread.planes.row(v, j, plane)[first + lane] = *value;
        }
    };
    WHORL_INLINE int lanes() const { return spread.planes.width; }
    WHORL_INLINE Of of(int group, int first) const {
        return {spread, group / spread.planes.count, group % spread.planes.count, first};
    }
};

// Lines along y of products -> rows of fluxes (Contract). Group = plane, lane = kx.
template <class Real, class Pass> struct ContractLines {
    static constexpr int variables = Pass::products;
    Contract<Real, Pass> contract;

    struct Of {
        const Contract<Real, Pass>& contract;
        int plane, first;

        WHORL_INLINE void get(int j, int lane, Complex<Real>* products) const {
            const Complex<Real>* const from = contract.planes.row(0, j, plane) + first + lane;
            unrolled<variables>([&](auto v) { products[v] = from[v * contract.planes.stride]; });
        }
        WHORL_INLINE void set(int j, int lane, const Complex<Real>* products) const {
            const int kept = kept_place(j, contract.extent_y, contract.planes.ny), i = first + lane;
            if (kept < 0) return;
            const auto row = contract.row(std::int64_t{plane} * contract.kept_y + kept);
            if (i < row.length) row.contract(i, products);
        }
    };
    WHORL_INLINE int lanes() const { return contract.planes.width; }
    WHORL_INLINE Of of(int plane, int first) const { return {contract, plane, first}; }
};

// Lines along z of a tile <-> its columns of the buffer (MoveColumns). Group = variable, lane = column.
template <class Real, bool to_buffer> struct ColumnLines {
    static constexpr int variables = 1; // of a block
    ColumnRows<Real> columns;
    device::Dropped dropped; // modes, which are in the tile

    struct Of {
        const ColumnLines& of;
        int v, first;

        WHORL_INLINE Complex<Real>& in_tile(int l, int lane) const {
            return of.columns.tile.line(v, l)[first + lane];
        }
        WHORL_INLINE Complex<Real>& in_buffer(int l, int lane) const {
            return of.columns.row(v, l).data[first + lane];
        }
        WHORL_INLINE void get(int l, int lane, Complex<Real>* value) const {
            if constexpr (to_buffer)
                *value = of.dropped.has(l) ? Complex<Real>{0, 0} : in_tile(l, lane);
            else
                *value = in_buffer(l, lane);
        }
        WHORL_INLINE void set(int l, int lane, const Complex<Real>* value) const {
            if constexpr (to_buffer)
                in_buffer(l, lane) = *value;
            else if (!of.dropped.has(l))
                in_tile(l, lane) = *value;
        }
    };
    WHORL_INLINE int lanes() const { return columns.tile.count; }
    WHORL_INLINE Of of(int v, int first) const { return {*this, v, first}; }
};

// The columns of a tile and their modes, where an element of a row is one mode. Variables of the buffer are
// counted from `first_variable`.
template <class Real> struct ModeColumns {
    ColumnRows<Real> columns;
    const ColumnPlace* places; // of all columns of the rank
    int first_variable;

    // One of them at one z; what is not kept is stood in for by the first mode there is.
    struct Element {
        Mode<Real> mode;
        Complex<Real> phase; // exp(i k.d)
        bool live;
    };
    template <class Kernel> WHORL_INLINE Element element(const Kernel& kernel, int column, int l) const {
        const ColumnPlace place = places[columns.tile.column + column];
        const Row row = kernel.tables.row(place.ky, l);
        const bool live = place.element < row.length;
        const int element = live ? place.element : 0;
        return {kernel.tables.mode(element, place.ky, l, live ? row.offset : 0),
                kernel.shift.y[place.ky] * kernel.shift.z[l] * kernel.shift.x[element], live};
    }
    WHORL_INLINE Complex<Real>& in_buffer(int v, int l, int column) const {
        return columns.row(first_variable + v, l).data[column];
    }
};

// Modes -> lines along z in the z-pencil (Load, LoadPadding). One group, lane = column.
template <class Real, class Pass> struct LoadLines {
    static constexpr int variables = Pass::inputs;
    Load<Real, Pass> load;
    ModeColumns<Real> columns;

    struct Of {
        const LoadLines& of;
        int first;

        WHORL_INLINE void get(int l, int lane, Complex<Real>* in) const {
            const auto at = of.columns.element(of.load, first + lane, l);
            of.load.pass.load(at.mode, in);
            unrolled<variables>([&](auto v) { in[v] = at.live ? in[v] * at.phase : Complex<Real>{0, 0}; });
        }
        WHORL_INLINE void set(int l, int lane, const Complex<Real>* values) const {
            unrolled<variables>([&](auto v) { of.columns.in_buffer(v, l, first + lane) = values[v]; });
        }
    };
    WHORL_INLINE int lanes() const { return columns.columns.tile.count; }
    WHORL_INLINE Of of(int, int first) const { return {*this, first}; }
};

// Lines along z in the z-pencil -> modes (Store). One group, lane = column.
template <class Real, class Result, int fluxes> struct StoreLines {
    static constexpr int variables = fluxes;
    Store<Real, Result, fluxes> store;
    ModeColumns<Real> columns;

    struct Of {
        const StoreLines& of;
        int first;

        WHORL_INLINE void get(int l, int lane, Complex<Real>* values) const {
            unrolled<variables>([&](auto v) { values[v] = of.columns.in_buffer(v, l, first + lane); });
        }
        WHORL_INLINE void set(int l, int lane, Complex<Real>* out) const {
            const auto at = of.columns.element(of.store, first + lane, l);
            if (!at.live) return;
            unrolled<variables>([&](auto v) { out[v] = out[v] * conjugate(at.phase); });
            of.store.result.store(at.mode, out);
        }
    };
    WHORL_INLINE int lanes() const { return columns.columns.tile.count; }
    WHORL_INLINE Of of(int, int first) const { return {*this, first}; }
};

} // namespace whorl::kernels

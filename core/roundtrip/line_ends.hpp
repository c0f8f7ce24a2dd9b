// Ends of programs of lines (device/block_lines.hpp): what Spread, SpreadPadding and MoveColumns do
// (kernels.hpp) as the transform reads or writes, without a pass of their own.
#pragma once

#include "roundtrip/kernels.hpp"

namespace whorl::kernels {

// Column buffer -> lines along y of planes. Block = (variable, plane, lanes of kx).
template <class Real> struct SpreadLines {
    Spread<Real> spread;

    struct Of {
        const Spread<Real>& spread;
        int v, plane, first, count;

        WHORL_INLINE Complex<Real> get(int j, int lane) const {
            const int extent = spread.extent_y, negative = j - spread.planes.ny + extent;
            if (j > extent && negative < 0) return {0, 0};
            const ColumnRow row = spread.rows[j > extent ? negative + extent + 1 : j];
            const int i = first + lane;
            if (i >= row.length) return {0, 0};
            const PlaneSlot slot = spread.slots[plane * spread.peers + row.peer];
            return spread.buffer[slot.base + v * slot.stride + row.offset + i];
        }
        WHORL_INLINE void set(int j, int lane, Complex<Real> value) const {
            spread.planes.row(v, j, plane)[first + lane] = value;
        }
    };
    WHORL_INLINE int blocks_of_plane(int lanes) const { return (spread.planes.width + lanes - 1) / lanes; }
    WHORL_INLINE Of of(std::int64_t block, int lanes) const {
        const int chunks = blocks_of_plane(lanes), q = static_cast<int>(block) / chunks;
        const int first = static_cast<int>(block) % chunks * lanes, left = spread.planes.width - first;
        return {spread, q / spread.planes.count, q % spread.planes.count, first, left < lanes ? left : lanes};
    }
};

// Lines along z of a tile <-> its columns of the buffer. Block = (variable, lanes of columns).
template <class Real, bool to_buffer> struct ColumnLines {
    ColumnRows<Real> columns;
    device::Dropped dropped; // modes, which are in the tile

    struct Of {
        const ColumnLines& of;
        int v, first, count;

        WHORL_INLINE Complex<Real>& in_tile(int l, int lane) const {
            return of.columns.tile.line(v, l)[first + lane];
        }
        WHORL_INLINE Complex<Real>& in_buffer(int l, int lane) const {
            return of.columns.row(v, l).data[first + lane];
        }
        WHORL_INLINE Complex<Real> get(int l, int lane) const {
            if constexpr (to_buffer)
                return of.dropped.has(l) ? Complex<Real>{0, 0} : in_tile(l, lane);
            else
                return in_buffer(l, lane);
        }
        WHORL_INLINE void set(int l, int lane, Complex<Real> value) const {
            if constexpr (to_buffer)
                in_buffer(l, lane) = value;
            else if (!of.dropped.has(l))
                in_tile(l, lane) = value;
        }
    };
    WHORL_INLINE int blocks_of_variable(int lanes) const { return (columns.tile.count + lanes - 1) / lanes; }
    WHORL_INLINE Of of(std::int64_t block, int lanes) const {
        const int chunks = blocks_of_variable(lanes), first = static_cast<int>(block) % chunks * lanes;
        const int left = columns.tile.count - first;
        return {*this, static_cast<int>(block) / chunks, first, left < lanes ? left : lanes};
    }
};

} // namespace whorl::kernels

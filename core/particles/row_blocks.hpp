// The blocks in which a round trip shows the rows of a plane, and where the rows are kept:
// [variable][column][row]. Some blocks form a ring, in which row y is at y modulo the ring. The rows of every
// stencil are contiguous, because
// - the first rows of the ring are repeated after it, for stencils that begin in the previous round;
// - rows beyond the last one of a plane follow it, as if they were one more block;
// - between walls, reflections come before row 0 and after the last row;
// - each side of a plane has as many extra columns as stencils reach.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "particles/stencil.hpp"

namespace whorl::particles {

struct RowBlocks {
    GridAxis x, y;
    int stencil = 2;
    int rows = 1, bits = 0; // of a block, 2^bits
    int count = 1;          // blocks of a plane
    int ring = 2;           // rows that are kept, 2^m
    int edge = 0;           // the most rows that a stencil has beyond its first
    int margin = 0;         // columns on a side
    int height = 2;         // of a column: the ring and the rows after it

    RowBlocks() = default;
    // A block has two vectors of `lanes` rows.
    RowBlocks(const std::array<GridAxis, 3>& axes, int points, int lanes)
        : x(axes[0]), y(axes[1]), stencil(points), rows(2 * lanes),
          bits(std::countr_zero(static_cast<unsigned>(rows))), count((y.points + rows - 1) / rows),
          ring((rows < points - 1 ? 4 : 2) * rows), edge(points - 1), margin(points / 2),
          height(ring + whole(2 * edge, lanes)) {}

    // The number of blocks, with the one beyond the last row.
    int all() const { return count + 1; }
    // Whether a stencil has more points than a column.
    bool few() const { return y.points < stencil; }
    int begin(int block) const { return std::min(block * rows, y.points); }
    int end(int block) const { return std::min(begin(block) + rows, y.points); }
    int place(int row) const { return row & (ring - 1); }
    int columns() const { return x.points + 2 * margin; }
    std::int64_t column(int number) const { return 1LL * (number + margin) * height; }
    std::int64_t variable() const { return 1LL * columns() * height; }
    // The size of a variable, with the first rows of the plane.
    std::int64_t numbers() const { return variable() + 1LL * columns() * edge; }

    // The block with which the stencil of a cell is complete.
    int complete_at(int cell) const {
        const int first = cell - stencil / 2 + 1, last = cell + stencil / 2;
        return (first < 0 && !y.wall) || last >= y.points ? count : last >> bits;
    }
    // The first rows of stencils that are complete with a block.
    struct Bounds {
        int least, most;
    };
    Bounds bounds(int block) const {
        const int before_first = few() || y.wall ? -stencil / 2 : 0;
        return {few() ? before_first : std::max(begin(block) - stencil + 1, before_first),
                block == count ? y.points - 1 : end(block) - stencil};
    }

  private:
    static int whole(int number, int lanes) { return (number + lanes - 1) / lanes * lanes; }
};

} // namespace whorl::particles

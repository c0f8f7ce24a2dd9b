// Blocks of rows of a plane, as a round trip shows them, and which of them are there at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "particles/stencil.hpp"

namespace whorl::particles {

// The first ones are kept until the end of the plane, for stencils that go around
// the box; of the others the last ones are there.
struct RowBlocks {
    int rows = 1;                        // of a block
    int count = 1;                       // of a plane
    int first = 0;                       // that are kept
    int last = 1;                        // that are there beside them
    int bits = 0;                        // rows = 2^bits
    std::vector<std::int64_t> offsets{}; // of the blocks' slots

    RowBlocks() = default;
    // `row` is the numbers of a row of all variables.
    RowBlocks(int rows_of_block, int ny, int stencil, std::int64_t row)
        : rows(rows_of_block), count((ny + rows - 1) / rows),
          first(std::min((stencil - 1 + rows - 1) / rows, count)), last(first + 1),
          bits(std::countr_zero(static_cast<unsigned>(rows))) {
        for (int block = 0; block < count; ++block)
            offsets.push_back((block < first ? block : first + block % last) * rows * row);
    }
    int of(int y) const { return y >> bits; }
    int slots() const { return first + last; }
    // The block with which the stencil of a cell is complete.
    int complete_at(const GridAxis& axis, int stencil, int cell) const {
        const int begin = cell - stencil / 2 + 1, end = cell + stencil / 2;
        if (axis.points == 1) return 0;
        return begin < 0 || end >= axis.points ? count - 1 : of(end);
    }
};

} // namespace whorl::particles

// The memory an executor works in: a tile of z lines, or some planes with a block of x lines behind them;
// then what the lines want.
#pragma once

#include "device/caches.hpp"
#include "device/line_plan.hpp"
#include "roundtrip/layout.hpp"
#include "roundtrip/line_choice.hpp"

namespace whorl {

// Lines are transformed side by side in steps of so many.
inline constexpr int lines_at_once = 8;
constexpr int groups_of_lines(int lines) { return (lines + lines_at_once - 1) / lines_at_once; }

struct Workspace {
    static constexpr int alignment = 8; // complex numbers: 64 bytes in single precision

    // Tiles of `columns`, blocks of pairs of rows as lines; `scratch` for the lines.
    Workspace(const Layout& layout, int columns, std::int64_t scratch);
    // Where work is enqueued: some planes at a time, all their rows at once, z lines in the z-pencil
    // itself where it has them side by side. Rows that fit go through x in the memory of a block
    // (row_program.hpp) and need no space here.
    struct Queue {
        std::int64_t value; // bytes of a complex number
        device::LineKind lines;
        std::int64_t block_memory; // bytes a block may have
        int planes;                // 0: as many as fill the device
    };
    // Blocks of so many rows, in so many complex numbers, instead.
    void take_blocks(const Layout& layout, int of_rows, std::int64_t of_block);
    static Workspace of_queue(const Layout& layout, const Queue& queue);
    static constexpr int most_shares = 16; // of rows that do

    int planes = 1;      // at a time
    int columns;         // of a z tile
    int tile_pitch;      // from one of its z to the next
    int pitch;           // of a plane's rows
    int line_pitch;      // of x lines
    int pairs;           // of rows in a block of x lines
    int rows;            // of y that go through x together
    int block_pairs = 0; // of them in the memory of a block; 0: x lines are the library's
    // In complex numbers.
    std::int64_t tile, plane, lines_in, lines_out, block;
    std::int64_t lent, scratch; // where the scratch begins, and how much it is
    std::int64_t size() const;
};

// What a thread with these caches works in with these lines.
template <class Real>
Workspace workspace_of_thread(const Layout& layout, const LineChoice& lines, std::int64_t second_cache);
// Columns of a z tile of all variables that fits in the second cache, or of the narrowest that memory serves
// well.
int tile_columns(const Layout& layout, std::int64_t value_bytes, std::int64_t second_cache);
// Columns of the tile next to half as wide.
int narrower_tile(int columns);

} // namespace whorl

// The memory of an executor: a tile of z lines, or some planes followed by a block of x lines; then scratch
// memory for the transforms.
#pragma once

#include "device/caches.hpp"
#include "device/line_plan.hpp"
#include "roundtrip/layout.hpp"
#include "roundtrip/line_choice.hpp"

namespace whorl {

// The number of lines transformed side by side is rounded up to a multiple of this.
inline constexpr int lines_at_once = 8;
constexpr int groups_of_lines(int lines) { return (lines + lines_at_once - 1) / lines_at_once; }

struct Workspace {
    static constexpr int alignment = 8; // complex numbers: 64 bytes in single precision

    // Tiles of `columns` columns, blocks of pairs of rows, `scratch` complex numbers for the transforms.
    Workspace(const Layout& layout, int columns, std::int64_t scratch);
    // A stream takes some planes at a time and all their rows at once, and z lines in the z-pencil itself
    // where they lie side by side. Rows that fit are transformed in the memory of a block (RowProgram)
    // and need no space here.
    struct Stream {
        std::int64_t value; // bytes of a complex number
        device::LineKind lines;
        std::int64_t block_memory; // bytes a block may have
        int planes;                // at a time; 0: as many as fill the device
        int pairs = 0;             // of rows in a block; 0: as many as occupy its threads
        std::int64_t bytes = 0;    // of the planes and their lines, where `planes` is 0; 0: most_of_stream
    };
    static constexpr std::int64_t most_of_stream = std::int64_t{512} << 20; // bytes, which fill the device
    // Takes blocks of `of_rows` rows and `of_block` complex numbers instead of pairs.
    void take_blocks(const Layout& layout, int of_rows, std::int64_t of_block);
    static Workspace of_stream(const Layout& layout, const Stream& stream);
    static constexpr int most_shares = 16; // row peers whose shares a RowProgram takes

    int planes = 1;      // at a time
    int columns;         // of a z tile
    int tile_pitch;      // from one z of the tile to the next
    int pitch;           // of a plane's rows
    int line_pitch;      // of x lines
    int pairs;           // of rows in a block of x lines
    int rows;            // of y that are transformed along x together
    int block_pairs = 0; // of rows in the memory of a block; 0: the library transforms x lines
    // Sizes in complex numbers.
    std::int64_t tile, plane, lines_in, lines_out, block;
    std::int64_t scratch_begin, scratch; // offset and size of the scratch memory
    std::int64_t size() const;
};

// The workspace of a thread with this second cache and these lines.
template <class Real>
Workspace workspace_of_thread(const Layout& layout, const LineChoice& lines, std::int64_t second_cache);
// The columns of a z tile that fits in the second cache with all variables, or of the narrowest tile whose
// rows memory transfers efficiently.
int tile_columns(const Layout& layout, std::int64_t value_bytes, std::int64_t second_cache);
// The columns of a tile about half as wide.
int narrower_tile(int columns);

} // namespace whorl

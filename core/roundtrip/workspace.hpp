// The memory an executor works in: a tile of z lines, or a plane with a block of x lines behind it; then what
// the lines want.
#pragma once

#include "roundtrip/layout.hpp"

namespace whorl {

struct Workspace {
    static constexpr int alignment = 8; // complex numbers: 64 bytes in single precision

    // Blocks of pairs of rows as lines, or of `rows` rows in `block` complex numbers; `scratch` for the
    // lines.
    Workspace(const Layout& layout, std::int64_t scratch);
    Workspace(const Layout& layout, std::int64_t scratch, int rows, std::int64_t block);

    int lanes;      // columns of a z tile
    int pitch;      // of a plane's rows
    int line_pitch; // of x lines
    int pairs;      // of rows in a block of x lines
    int rows;       // of y that go through x together
    // In complex numbers.
    std::int64_t tile, plane, lines_in, lines_out, block;
    std::int64_t lent, scratch; // where the scratch begins, and how much it is
    std::int64_t size() const;
};

} // namespace whorl

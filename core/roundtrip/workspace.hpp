// The memory an executor works in: a tile of z lines, or a plane with a block of x lines behind it.
#pragma once

#include "roundtrip/layout.hpp"

namespace whorl {

struct Workspace {
    static constexpr int alignment = 8; // complex numbers: 64 bytes in single precision

    explicit Workspace(const Layout& layout);

    int lanes;      // columns of a z tile
    int pitch;      // of a plane's rows
    int line_pitch; // of x lines
    int pairs;      // rows of y of a block of x lines, two by two
    // In complex numbers.
    std::int64_t tile, plane, lines_in, lines_out;
    std::int64_t size() const;
};

} // namespace whorl

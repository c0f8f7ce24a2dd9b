// Which lines a round trip takes along each axis, and what of their shapes is free. The kinds decide the last
// bits of a result, the shapes none.
#pragma once

#include <string>

#include "device/lines.hpp"

namespace whorl {

struct LineChoice {
    device::LineKind x = device::LineKind::own, y = device::LineKind::own, z = device::LineKind::own;
    bool measured = false; // the round trip finds the fastest when it is made
    int columns = 0;       // of a tile of z lines; 0: what the second cache has room for
    bool streams = true;   // z lines go past the cache on their way to the column buffer

    // "own", or "own,fftw,own" along x, y and z where they differ.
    std::string kinds() const;
};

// Of `lines`: "auto", one kind for all axes, or one for each of x, y, z. Throws Error naming what there is.
LineChoice parse_line_choice(const std::string& lines);

} // namespace whorl

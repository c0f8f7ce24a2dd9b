// Which lines a round trip takes along each axis, and what of their shapes is free. Kinds and tiles decide
// the last bits of a result: where a row ends its last modes are worked on one by one.
#pragma once

#include <string>

#include "device/line_plan.hpp"

namespace whorl {

struct LineChoice {
    device::LineKind x = device::LineKind::own, y = device::LineKind::own, z = device::LineKind::own;
    int columns = 0;       // of a tile of z lines; 0: what the second cache has room for
    bool measured = false; // the round trip finds the fastest when it is made

    // What parse_line_choice() makes the same bits of.
    std::string text() const;
};

// Of "auto"; of one kind for all axes; of one for each of x, y, z, such as "own,fftw,own", and the columns of
// a tile behind them if they are given. Throws Error naming what there is.
LineChoice parse_line_choice(const std::string& lines);

} // namespace whorl

// The kind of lines along each axis, and the columns of a tile. Both decide the last bits of a result: the
// last modes of a row are computed one by one, not in vectors.
#pragma once

#include <string>

#include "device/line_plan.hpp"

namespace whorl {

struct LineChoice {
    device::LineKind x = device::LineKind::own, y = device::LineKind::own, z = device::LineKind::own;
    int columns = 0;       // of a tile of z lines; 0: as many as fit in the second cache
    bool measured = false; // the round trip finds the fastest when it is made

    // The text of which parse_line_choice() makes a choice with the same results, to the last bit.
    std::string text() const;
};

// Parses "auto"; one kind for all axes; or one each for x, y, z, such as "own,fftw,own", which the columns of
// a tile may follow. Throws Error naming the kinds.
LineChoice parse_line_choice(const std::string& lines);

} // namespace whorl

// The second cache of a core, which decides the tiles of z lines (docs/lines.md).
#pragma once

#include <cstdint>

namespace whorl::device {

// Its bytes, read once; where the system does not report them, those of the smallest processors of today.
std::int64_t second_cache();

} // namespace whorl::device

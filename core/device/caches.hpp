// The second cache of a core, which decides the tiles of z lines (docs/lines.md).
#pragma once

#include <cstdint>

namespace whorl::device {

// The bytes of this cache, read once. If the system does not report them, they are those of the smallest
// processors of today.
std::int64_t second_cache();

} // namespace whorl::device

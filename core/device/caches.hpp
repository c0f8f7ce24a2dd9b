// The second cache of a core, from which the tiles of z lines follow (docs/lines.md).
#pragma once

#include <cstdint>

namespace whorl::device {

// Bytes, read once; where the system does not tell, what the smallest processors of today have.
std::int64_t second_cache();

} // namespace whorl::device

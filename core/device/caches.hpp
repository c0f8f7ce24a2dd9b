// The caches of a core, from which the shapes of what lines work on follow (docs/lines.md).
#pragma once

#include <cstdint>

namespace whorl::device {

struct Caches {
    // Bytes of the first (data) and the second: where the system does not tell, what the smallest processors
    // of today have.
    std::int64_t first = 32 << 10, second = 512 << 10;
};

// Of this machine, read once.
const Caches& caches();

} // namespace whorl::device

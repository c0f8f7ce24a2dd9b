// Copies of messages, by several threads if they are large, of memory that the host reaches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"
#include "device/separate_memory.hpp"

namespace whorl::exchange {

inline void copy(void* to, const void* from, std::int64_t bytes, int threads) {
    using device::SeparateMemory;
    WHORL_REQUIRE(!SeparateMemory::holds(to) && !SeparateMemory::holds(from),
                  "an exchange copied a device's memory on the host, which cannot reach that of a GPU.");
    constexpr std::int64_t piece = 1 << 20;
#pragma omp parallel for num_threads(threads) schedule(static) if (bytes > piece)
    for (std::int64_t begin = 0; begin < bytes; begin += piece)
        std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
                    static_cast<std::size_t>(std::min(piece, bytes - begin)));
}

} // namespace whorl::exchange

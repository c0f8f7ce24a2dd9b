// prefetch(values, count): these will soon be wanted. A hint to a processor with caches, nothing on a device
// that hides its latencies otherwise.
#pragma once

#include <cstdint>

#include "base/macros.hpp"

namespace whorl {

template <class Value>
WHORL_INLINE void prefetch([[maybe_unused]] const Value* values, [[maybe_unused]] int count) {
#ifndef __CUDA_ARCH__
    constexpr int step = 64 / static_cast<int>(sizeof(Value));
    for (int i = 0; i < count; i += step) __builtin_prefetch(values + i, 0, 3);
#endif
}

} // namespace whorl

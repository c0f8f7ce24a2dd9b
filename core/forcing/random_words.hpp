// Random words of a mode n at a place in time (a step, or a time within a path): functions only of the seed,
// the mode and the place. Wavenumbers and `which` have 16 bits each in the counter, the place 64, so that no
// two of them share one.
#pragma once

#include <array>
#include <cstdint>

#include "base/philox.hpp"

namespace whorl::forcing {

inline PhiloxBlock random_words(const std::array<int, 3>& n, std::uint32_t which, std::int64_t place,
                                std::uint64_t seed) {
    const auto short_of = [](int number) { return static_cast<std::uint32_t>(number) & 0xFFFFu; };
    const auto [low, high] = halves(static_cast<std::uint64_t>(place));
    return philox({short_of(n[0]) | short_of(n[1]) << 16, short_of(n[2]) | which << 16, low, high},
                  halves(seed));
}

} // namespace whorl::forcing

// Philox 4x32-10: four random 32-bit words from a counter and a key, so that the random numbers of a mode
// depend only on the mode and the seed (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC11).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/macros.hpp"

namespace whorl {

using PhiloxBlock = std::array<std::uint32_t, 4>;

// The low and the high half of a number, as a key or as a part of a counter.
WHORL_ANYWHERE std::array<std::uint32_t, 2> halves(std::uint64_t number) {
    return {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)};
}

WHORL_ANYWHERE PhiloxBlock philox(PhiloxBlock counter, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p = 0xD2511F53ull * counter[0];
        const std::uint64_t q = 0xCD9E8D57ull * counter[2];
        counter = {static_cast<std::uint32_t>(q >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(q),
                   static_cast<std::uint32_t>(p >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p)};
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    return counter;
}

// Uniform on (0, 1), never 0, so that its logarithm is finite.
WHORL_ANYWHERE double uniform(std::uint32_t word) { return (word + 0.5) * 0x1p-32; }

// Two independent normal numbers of mean 0 and variance 1 (Box and Muller, Ann. Math. Stat. 29, 610 (1958)).
WHORL_ANYWHERE std::array<double, 2> normals(std::uint32_t first, std::uint32_t second) {
    const double radius = std::sqrt(-2.0 * std::log(uniform(first)));
    const double angle = 2.0 * std::numbers::pi * uniform(second);
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

} // namespace whorl

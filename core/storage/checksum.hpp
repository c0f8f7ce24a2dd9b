// A checksum of a field of modes that does not depend on their distribution over ranks: the sum modulo 2^64,
// over all modes, of a hash of the mode's position and bits. The mixing function is the finaliser of
// SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "base/complex.hpp"

namespace whorl::storage {

inline std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

template <class Real> std::uint64_t bits(Real value) {
    using Word = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
    return std::bit_cast<Word>(value);
}

// h <- mix(h + g + word) with g the odd integer nearest to 2^64 / golden ratio; without g, zeros would give
// zero.
inline std::uint64_t absorb(std::uint64_t hash, std::uint64_t word) {
    return mix(hash + 0x9E3779B97F4A7C15ull + word);
}

template <class Real, std::size_t count>
std::uint64_t hash_mode(std::int64_t place, const std::array<Complex<Real>, count>& values) {
    std::uint64_t hash = absorb(0, static_cast<std::uint64_t>(place));
    for (const Complex<Real>& value : values) hash = absorb(absorb(hash, bits(value.re)), bits(value.im));
    return hash;
}

} // namespace whorl::storage

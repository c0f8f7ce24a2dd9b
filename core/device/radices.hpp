// The radices of the transform of a line of n points.
#pragma once

#include <bit>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "base/macros.hpp"

namespace whorl::device {

// The largest radix of all butterflies. With radix 16 a thread of a GPU needs more registers, and half as
// many blocks fit on a multiprocessor.
inline constexpr int largest_radix = 8;

// Odd factors, then powers of two as equal as possible, at most `most`. Throws Error where n has another
// prime factor.
inline std::vector<int> radices(int n, int most) {
    std::vector<int> result;
    for (const int factor : {7, 5, 3})
        for (; n % factor == 0; n /= factor) result.push_back(factor);
    int bits = 0;
    const int most_bits = std::countr_zero(static_cast<unsigned>(most));
    for (; n % 2 == 0; n /= 2) ++bits;
    WHORL_REQUIRE(n == 1, "lines with a prime factor above 7 have no transform of whorl's own.");
    for (int steps = (bits + most_bits - 1) / most_bits; steps > 0; --steps) {
        const int of_step = (bits + steps - 1) / steps;
        result.push_back(1 << of_step);
        bits -= of_step;
    }
    return result;
}

// Calls f(radix) with the radix as a constant.
template <class F> WHORL_INLINE void with_radix(int radix, const F& f) {
    switch (radix) {
    case 1:
        return f(std::integral_constant<int, 1>{});
    case 2:
        return f(std::integral_constant<int, 2>{});
    case 3:
        return f(std::integral_constant<int, 3>{});
    case 4:
        return f(std::integral_constant<int, 4>{});
    case 5:
        return f(std::integral_constant<int, 5>{});
    case 7:
        return f(std::integral_constant<int, 7>{});
    default:
        return f(std::integral_constant<int, largest_radix>{});
    }
}

} // namespace whorl::device

// The radices of the transform of a line of n points.
#pragma once

#include <type_traits>
#include <vector>

#include "base/macros.hpp"

namespace whorl::device {

// The largest radix of all butterflies.
inline constexpr int largest_radix = 16;

// Odd factors, then powers of two as equal as possible, at most `most`. Throws Error where n has another
// prime factor.
std::vector<int> radices(int n, int most);

// Calls f(radix) with the radix, at most `most`, as a constant.
template <int most = largest_radix, class F> WHORL_INLINE void with_radix(int radix, const F& f) {
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
    case 8:
        return f(std::integral_constant<int, 8>{});
    default:
        if constexpr (most == largest_radix) return f(std::integral_constant<int, largest_radix>{});
    }
}

} // namespace whorl::device

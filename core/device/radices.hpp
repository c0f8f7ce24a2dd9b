// The radices of the transform of a line of n points.
#pragma once

#include <type_traits>
#include <vector>

#include "base/macros.hpp"

namespace whorl::device {

// The largest radix of all butterflies. With radix 16 a thread of a GPU needs more registers, and half as
// many blocks fit on a multiprocessor.
inline constexpr int largest_radix = 8;

// Odd factors, then powers of two as equal as possible, at most `most`. Throws Error where n has another
// prime factor.
std::vector<int> radices(int n, int most);

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

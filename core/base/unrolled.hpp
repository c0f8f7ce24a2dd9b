// unrolled<n>(f) calls f(i) for i = 0 ... n - 1 with i a constant. A loop, however short, would keep the loop
// over a row's elements around it from being vectorised; and a constant index can decide what is compiled.
#pragma once

#include <type_traits>
#include <utility>

#include "base/macros.hpp"

namespace whorl {

template <int count, class F> WHORL_INLINE void unrolled(const F& f) {
    [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
        (f(std::integral_constant<int, i>{}), ...);
    }(std::make_integer_sequence<int, count>{});
}

} // namespace whorl

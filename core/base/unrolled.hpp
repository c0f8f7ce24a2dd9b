// unrolled<n>(f) calls f(i) for i = 0 ... n - 1 with a constant i. An inner loop, however short, would
// prevent the vectorisation of the loop over a row's elements; and a constant index can select code at
// compile time.
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

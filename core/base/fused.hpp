// Multiply and add with a rounding that the source decides.
#pragma once

#include <cmath>

#include "base/macros.hpp"

namespace whorl {

// a b + c, rounded once where the processor does so at no cost. Left to the compiler, it could round either
// product of a b + c d, and not the same one in all copies of a loop.
template <class Real> WHORL_INLINE Real fused(Real a, Real b, Real c) {
#ifdef WHORL_ANY_LEVEL
    static_assert(sizeof(Real) == 0, "the rounding depends on the instruction level");
#endif
#if defined(__FP_FAST_FMA) || defined(__CUDACC__)
    return std::fma(a, b, c);
#else
    return a * b + c;
#endif
}

} // namespace whorl

// exp(-x) for x >= -80, written so that it vectorises inside a loop over modes, on any device:
//   exp(-x) = 2^n exp(r) = whole + rest, whole = 2^n, rest = 2^n (exp(r) - 1).
// n = round(-x / ln 2), so that |r| <= ln 2 / 2. The Taylor series of exp(r) - 1 goes to r^13 in double, r^7
// in single precision: truncation is below 5e-18 and 6e-9. Results under 2^-1000 (2^-120 in single) are 0.
//
// A factor in one number would have the same rounding error in every step. The rounding of `rest` is relative
// to the decay in one step.
#pragma once

#include <bit>
#include <cstdint>

#include "base/macros.hpp"

namespace whorl {

template <class Real> struct Decay {
    Real whole, rest;
};

// exp(-x) a, rounded once.
template <class Real, class Value> WHORL_INLINE Value decayed(Decay<Real> factor, Value a) {
    return factor.whole * a + factor.rest * a;
}

WHORL_INLINE Decay<double> exponential_decay(double x) {
    constexpr double inverse_ln2 = 1.4426950408889634074, ln2_high = 6.93147180369123816490e-01,
                     ln2_low = 1.90821492927058770002e-10;
    constexpr double shifter =
        6755399441055744.0; // 1.5 * 2^52: adding it rounds to an integer in the low bits
    const double bounded = x < 690.0 ? x : 690.0;
    const double shifted = -bounded * inverse_ln2 + shifter;
    const double n = shifted - shifter;
    const double r = (-bounded - n * ln2_high) - n * ln2_low;
    double sum = 1.0 + r * (1.0 / 13);
    sum = 1.0 + r * (1.0 / 12) * sum;
    sum = 1.0 + r * (1.0 / 11) * sum;
    sum = 1.0 + r * (1.0 / 10) * sum;
    sum = 1.0 + r * (1.0 / 9) * sum;
    sum = 1.0 + r * (1.0 / 8) * sum;
    sum = 1.0 + r * (1.0 / 7) * sum;
    sum = 1.0 + r * (1.0 / 6) * sum;
    sum = 1.0 + r * (1.0 / 5) * sum;
    sum = 1.0 + r * (1.0 / 4) * sum;
    sum = 1.0 + r * (1.0 / 3) * sum;
    sum = 1.0 + r * (1.0 / 2) * sum;
    const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
    const double whole = x < 690.0 ? std::bit_cast<double>(exponent) : 0.0;
    return {whole, whole * (r * sum)};
}

WHORL_INLINE Decay<float> exponential_decay(float x) {
    constexpr float inverse_ln2 = 1.44269504f, ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
    constexpr float shifter = 12582912.0f; // 1.5 * 2^23
    const float bounded = x < 83.0f ? x : 83.0f;
    const float shifted = -bounded * inverse_ln2 + shifter;
    const float n = shifted - shifter;
    const float r = (-bounded - n * ln2_high) - n * ln2_low;
    float sum = 1.0f + r * (1.0f / 7);
    sum = 1.0f + r * (1.0f / 6) * sum;
    sum = 1.0f + r * (1.0f / 5) * sum;
    sum = 1.0f + r * (1.0f / 4) * sum;
    sum = 1.0f + r * (1.0f / 3) * sum;
    sum = 1.0f + r * (1.0f / 2) * sum;
    const std::uint32_t exponent = (std::bit_cast<std::uint32_t>(shifted) + 127u) << 23;
    const float whole = x < 83.0f ? std::bit_cast<float>(exponent) : 0.0f;
    return {whole, whole * (r * sum)};
}

// The functions of exponential time differencing (Cox and Matthews, J. Comput. Phys. 176, 430 (2002)),
//
//   phi_1(c) = (exp(c) - 1) / c,   phi_p+1(c) = (phi_p(c) - 1 / p!) / c,   phi_p(0) = 1 / p!,
//
// at c = -x. Where |x| < 1 the quotients cancel: phi_3 is summed as a Taylor series, sum_n c^n / (n + 3)!, to
// c^15 (truncation below 1e-16), and the others follow by the recurrence backwards. Written so that it
// vectorises inside a loop over modes.
struct Phi {
    double first, second, third;
};

WHORL_INLINE Phi phi_functions(double x) {
    const double c = -x, size = x < 0.0 ? c : x;
    const bool small = size < 1.0;
    const double near = small ? c : 0.0, far = small ? 1.0 : c;
    double series = 1.0;
    for (int n = 15; n > 0; --n) series = 1.0 + near * (1.0 / (n + 3)) * series;
    const double third = series * (1.0 / 6), second = 0.5 + near * third, first = 1.0 + near * second;
    const Decay<double> decay = exponential_decay(small ? 0.0 : x);
    const double inverse = 1.0 / far, of_far = (decay.whole + decay.rest - 1.0) * inverse,
                 next = (of_far - 1.0) * inverse;
    return {small ? first : of_far, small ? second : next, small ? third : (next - 0.5) * inverse};
}

} // namespace whorl

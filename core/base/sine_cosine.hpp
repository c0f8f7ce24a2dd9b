// sin x and cos x, written so that they vectorise inside a loop over modes, on any device. x = q pi/2 + r
// with q an integer and |r| <= pi/4. pi/2 has three parts, which is exact to rounding for |x| < 10^5, in
// single precision 10^3. The Taylor series in r go to r^17 in double, r^9 in single precision: truncation is
// below rounding.
#pragma once

#include <bit>
#include <cstdint>

#include "base/macros.hpp"
#include "base/unrolled.hpp"

namespace whorl {

template <class Real> struct SineCosine {
    Real sine, cosine;
};

// The series of sin r / r and of cos r in r^2, summed from the highest term down.
template <int first, int terms, class Real> WHORL_INLINE Real nested_series(Real r2) {
    Real sum = Real(1);
    unrolled<terms>([&](auto t) {
        constexpr int n = 2 * (terms - t) + first;
        sum = Real(1) - r2 * (Real(1) / Real(n * (n - 1))) * sum;
    });
    return sum;
}

template <class Real, class Word> WHORL_INLINE SineCosine<Real> turned_series(Real r, Word q) {
    constexpr int terms = sizeof(Real) == 8 ? 8 : 4;
    const Real r2 = r * r;
    const Real s = r * nested_series<1, terms>(r2), c = nested_series<0, terms>(r2);
    const Real sine = (q & 1) ? c : s, cosine = (q & 1) ? s : c;
    return {(q & 2) ? -sine : sine, ((q + 1) & 2) ? -cosine : cosine};
}

WHORL_INLINE SineCosine<double> sine_cosine(double x) {
    constexpr double two_over_pi = 0.63661977236758134308, shifter = 6755399441055744.0;
    const double shifted = x * two_over_pi + shifter, q = shifted - shifter;
    const double r = ((x - q * 1.57079632673412561417e+00) - q * 6.07710050630396597660e-11) -
                     q * 2.02226624879595063154e-21;
    return turned_series(r, std::bit_cast<std::uint64_t>(shifted));
}

WHORL_INLINE SineCosine<float> sine_cosine(float x) {
    constexpr float two_over_pi = 0.636619772f, shifter = 12582912.0f;
    const float shifted = x * two_over_pi + shifter, q = shifted - shifter;
    const float r = ((x - q * 1.5703125f) - q * 4.83751296997e-4f) - q * 7.54978995489e-8f;
    return turned_series(r, std::bit_cast<std::uint32_t>(shifted));
}

} // namespace whorl

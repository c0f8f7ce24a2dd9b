// The mean over a ball, or over a disc if the box has one point along an axis, as a multiplier of modes.
#pragma once

#include <cmath>

#include "base/macros.hpp"

namespace whorl::programs {

// The mean of exp(i k.s) over |s| < r, of x = kr:
//   ball  3 (sin x - x cos x)/x^3,   disc  2 J1(x)/x,
// which are 0F1(; 1 + d/2; -x^2/4) in d = 3, 2 dimensions (DLMF 10.16.9 and 10.49.3). The series is for small
// x, where the formula of the ball would subtract nearly equal numbers. From x = 2 on the formula loses no
// digit, and below the first term that the series leaves out is less than 1e-20.
WHORL_INLINE double averaged(double x, bool disc) {
    if (x < 2.0) {
        const double quarter = -0.25 * x * x, half = disc ? 1.0 : 1.5;
        double sum = 0.0;
        for (int n = 12; n > 0; --n) sum = (1.0 + sum) * quarter / (n * (n + half));
        return 1.0 + sum;
    }
    return disc ? 2.0 * ::j1(x) / x : 3.0 * (std::sin(x) - x * std::cos(x)) / (x * x * x);
}

} // namespace whorl::programs

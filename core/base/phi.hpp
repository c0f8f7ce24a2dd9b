// The functions of exponential time differencing (Cox and Matthews, J. Comput. Phys. 176, 430 (2002)),
//
//   phi_1(c) = (exp(c) - 1) / c,   phi_p+1(c) = (phi_p(c) - 1 / p!) / c,   phi_p(0) = 1 / p!,
//
// at c = -x. Where |x| < 1 the quotients cancel: phi_3 is summed as a Taylor series, sum_n c^n / (n + 3)!, to
// c^15 (truncation below 1e-16), and the others follow by the recurrence backwards. Written so that it
// vectorises inside a loop over modes.
#pragma once

#include "base/exponential.hpp"

namespace whorl {

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

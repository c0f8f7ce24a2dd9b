// Two components of a solenoidal field determine the third: k.u = 0. The dependent one is that along the
// largest |k_i| (z before y before x when equal), so that rounding is never amplified. The mean has none.
#pragma once

#include "roundtrip/mode.hpp"

namespace whorl {

// 0, 1, 2 for x, y, z; 3 for the mean.
template <class Real> WHORL_INLINE int dependent_axis(Wavenumber<Real> k) {
    const Real x = k.x * k.x, y = k.y * k.y, z = k.z * k.z;
    const int largest = z >= x && z >= y ? 2 : (y >= x ? 1 : 0);
    return x + y + z > Real(0) ? largest : 3;
}

template <class Real> WHORL_INLINE void close_continuity(Wavenumber<Real> k, Complex<Real>* a) {
    const int axis = dependent_axis(k);
    const Real along = axis == 0 ? k.x : (axis == 1 ? k.y : k.z);
    const Real inverse = axis == 3 ? Real(0) : Real(1) / along;
    const Complex<Real> x = k.x * a[0], y = k.y * a[1], z = k.z * a[2];
    const Complex<Real> others = axis == 0 ? y + z : (axis == 1 ? x + z : x + y);
    const Complex<Real> closing = (-inverse) * others;
    a[0] = axis == 0 ? closing : a[0];
    a[1] = axis == 1 ? closing : a[1];
    a[2] = axis == 2 ? closing : a[2];
}

} // namespace whorl

// Two components of a solenoidal field determine the third by k.u = 0. The dependent component is that along
// the largest |k_i| (z before y before x when equal), so that rounding is never amplified. The mean has none.
#pragma once

#include "base/fused.hpp"
#include "roundtrip/mode.hpp"

namespace whorl {

// 0, 1, 2 for x, y, z; 3 for the mean.
template <class Real> WHORL_INLINE int dependent_axis(Wavenumber<Real> k) {
    const Real x = k.x * k.x, y = k.y * k.y, z = k.z * k.z;
    const int largest = z >= x && z >= y ? 2 : (y >= x ? 1 : 0);
    return x + y + z > Real(0) ? largest : 3;
}

// p a + q b with the same rounding wherever it is compiled. Otherwise a checkpoint would not reproduce the
// state from which it was written.
template <class Real>
WHORL_INLINE Complex<Real> sum_of_two(Real p, Complex<Real> a, Real q, Complex<Real> b) {
    return {fused(p, a.re, q * b.re), fused(p, a.im, q * b.im)};
}

template <class Real> WHORL_INLINE void close_continuity(Wavenumber<Real> k, Complex<Real>* a) {
    const int axis = dependent_axis(k);
    const Real along = axis == 0 ? k.x : (axis == 1 ? k.y : k.z);
    const Real inverse = axis == 3 ? Real(0) : Real(1) / along;
    const Complex<Real> others = axis == 0   ? sum_of_two(k.y, a[1], k.z, a[2])
                                 : axis == 1 ? sum_of_two(k.x, a[0], k.z, a[2])
                                             : sum_of_two(k.x, a[0], k.y, a[1]);
    const Complex<Real> closing = (-inverse) * others;
    a[0] = axis == 0 ? closing : a[0];
    a[1] = axis == 1 ? closing : a[1];
    a[2] = axis == 2 ? closing : a[2];
}

// Closes a field of three components, or of two in a plane, where k.z = 0.
template <class Real>
WHORL_INLINE void close_continuity(Wavenumber<Real> k, int components, Complex<Real>* a) {
    if (components == 3) return close_continuity(k, a);
    Complex<Real> whole[3] = {a[0], a[1], {0, 0}};
    close_continuity(k, whole);
    a[0] = whole[0];
    a[1] = whole[1];
}

} // namespace whorl

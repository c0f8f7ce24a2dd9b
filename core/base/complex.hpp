// Complex numbers for modes and lines: two adjacent reals, as FFTW, cuFFT and NumPy store them.
// std::complex is avoided because its operators are neither device-callable nor free of NaN checks.
#pragma once

#include "base/macros.hpp"

namespace whorl {

// The alignment lets a GPU move both parts at once.
template <class Real> struct alignas(2 * sizeof(Real)) Complex {
    Real re, im;
};

template <class Real> WHORL_INLINE Complex<Real> operator+(Complex<Real> a, Complex<Real> b) {
    return {a.re + b.re, a.im + b.im};
}
template <class Real> WHORL_INLINE Complex<Real> operator-(Complex<Real> a, Complex<Real> b) {
    return {a.re - b.re, a.im - b.im};
}
template <class Real> WHORL_INLINE Complex<Real> operator*(Complex<Real> a, Complex<Real> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class Real> WHORL_INLINE Complex<Real> operator*(Real s, Complex<Real> a) {
    return {s * a.re, s * a.im};
}
template <class Real> WHORL_INLINE Complex<Real> operator-(Complex<Real> a) { return {-a.re, -a.im}; }
template <class Real> WHORL_INLINE Complex<Real> conjugate(Complex<Real> a) { return {a.re, -a.im}; }
// i a and -i a, without a multiplication.
template <class Real> WHORL_INLINE Complex<Real> times_i(Complex<Real> a) { return {-a.im, a.re}; }
template <class Real> WHORL_INLINE Complex<Real> times_minus_i(Complex<Real> a) { return {a.im, -a.re}; }
// to = from by parts; an assignment of the whole struct would not be vectorised.
template <class Real> WHORL_INLINE void copy(const Complex<Real>& from, Complex<Real>& to) {
    to.re = from.re;
    to.im = from.im;
}
// Conversion to double precision, and back.
template <class Real> WHORL_INLINE Complex<double> widened(Complex<Real> a) { return {a.re, a.im}; }
template <class Real> WHORL_INLINE Complex<Real> narrowed(Complex<double> a) {
    return {static_cast<Real>(a.re), static_cast<Real>(a.im)};
}
// Re(a* b), the scalar product in energies and transfers.
template <class Real> WHORL_INLINE Real dot(Complex<Real> a, Complex<Real> b) {
    return a.re * b.re + a.im * b.im;
}

} // namespace whorl

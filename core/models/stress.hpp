// Divergences of fluxes, shared by the models. A symmetric stress has five products (its trace is pressure;
// Basdevant, J. Comput. Phys. 50, 209 (1983)), and four sums of them are the columns:
//
//   p = (s_xx - s_zz, s_xy, s_xz, s_yy - s_zz, s_yz),  f = (kx p0 + ky p1, kx p1 + ky p3, p2, p4)
//
// A flux vector q has two sums: f = (kx q_x + ky q_y, q_z).
#pragma once

#include "base/parity.hpp"
#include "models/continuity.hpp"
#include "roundtrip/mode.hpp"

namespace whorl {

template <class Real, class Value>
WHORL_INLINE void stress_columns(Real kx, Real ky, const Value* p, Value* f) {
    f[0] = kx * p[0] + ky * p[1];
    f[1] = kx * p[1] + ky * p[3];
    f[2] = p[2];
    f[3] = p[4];
}

// Parities of the products p of a velocity with itself, and of the sums f.
constexpr std::array<Parity, 5> parities_of_stress(const std::array<Parity, 3>& u) {
    return {even, u[0] * u[1], u[0] * u[2], even, u[1] * u[2]};
}
constexpr std::array<FluxParity, 4> parities_of_stress_columns(const std::array<Parity, 5>& p) {
    return {flux_along(p[0], p[1]), flux_along(p[1], p[3]), flux_of(p[2]), flux_of(p[4])};
}

// a <- P a, the part perpendicular to k; the mean is not changed.
template <class Real> WHORL_INLINE void project(Wavenumber<Real> k, Complex<Real>* a) {
    const Complex<Real> along = inverse_square(k) * (k.x * a[0] + k.y * a[1] + k.z * a[2]);
    a[0] = a[0] - k.x * along;
    a[1] = a[1] - k.y * along;
    a[2] = a[2] - k.z * along;
}

// Removes the part along k of a field of three components, or of two in a plane, where k.z = 0. The
// divergence is then 0 to the last bit (models/continuity.hpp).
template <class Real>
WHORL_INLINE void make_solenoidal(Wavenumber<Real> k, int components, Complex<Real>* a) {
    Complex<Real> whole[3] = {a[0], a[1], {0, 0}};
    if (components == 3) whole[2] = a[2];
    project(k, whole);
    for (int v = 0; v < components; ++v) a[v] = whole[v];
    close_continuity(k, components, a);
}

// da = P(-i k.s)
template <class Real>
WHORL_INLINE void minus_stress_divergence(Wavenumber<Real> k, const Complex<Real>* f, Complex<Real>* da) {
    Complex<Real> force[3] = {f[0] + k.z * f[2], f[1] + k.z * f[3], k.x * f[2] + k.y * f[3]};
    project(k, force);
    da[0] = times_minus_i(force[0]);
    da[1] = times_minus_i(force[1]);
    da[2] = times_minus_i(force[2]);
}

template <class Real, class Value>
WHORL_INLINE void flux_columns(Real kx, Real ky, const Value* q, Value* f) {
    f[0] = kx * q[0] + ky * q[1];
    f[1] = q[2];
}

// Parities of the products q of a velocity with a scalar, and of the sums f.
constexpr std::array<Parity, 3> parities_of_flux(const std::array<Parity, 3>& u, Parity scalar) {
    return {u[0] * scalar, u[1] * scalar, u[2] * scalar};
}
constexpr std::array<FluxParity, 2> parities_of_flux_columns(const std::array<Parity, 3>& q) {
    return {flux_along(q[0], q[1]), flux_of(q[2])};
}

// -i k.q
template <class Real>
WHORL_INLINE Complex<Real> minus_divergence(Wavenumber<Real> k, const Complex<Real>* f) {
    return times_minus_i(f[0] + k.z * f[1]);
}

// i k x a
template <class Real> WHORL_INLINE void curl(Wavenumber<Real> k, const Complex<Real>* a, Complex<Real>* out) {
    out[0] = times_i(k.y * a[2] - k.z * a[1]);
    out[1] = times_i(k.z * a[0] - k.x * a[2]);
    out[2] = times_i(k.x * a[1] - k.y * a[0]);
}

// The bound on an explicit step, |u|/dx + |v|/dy + |w|/dz, and |u|^2.
template <class Real>
WHORL_INLINE void advective_rate(const Real* u, const Real* inverse_spacing, Real* values) {
    const auto absolute = [](Real x) { return x < Real(0) ? -x : x; };
    values[0] = absolute(u[0]) * inverse_spacing[0] + absolute(u[1]) * inverse_spacing[1] +
                absolute(u[2]) * inverse_spacing[2];
    values[1] = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
}

} // namespace whorl

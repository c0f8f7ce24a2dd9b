// Two-dimensional flow described by its vorticity zeta = dv/dx - du/dy, on a beta plane:
//
//   dzeta/dt + u.grad zeta + beta v = (nu laplacian - ...) zeta,   u = -dpsi/dy, v = dpsi/dx, zeta =
//   laplacian psi
//
// with the losses of models/linear.hpp. The curl of div(u u) needs two products, which are combined in one
// column:
//
//   dzeta/dt = (kx^2 - ky^2) (u v) + kx ky (v v - u u) - beta v
//
// A mean flow has no vorticity, so the model has no mean flow.
#pragma once

#include <array>

#include "base/sine_cosine.hpp"
#include "models/budget.hpp"
#include "models/field.hpp"
#include "models/linear.hpp"

namespace whorl {

template <class Real> struct NavierStokes2d {
    static constexpr int fields = 1, inputs = 2, products = 2, fluxes = 1, rates = 1;
    static constexpr std::array groups{FieldGroup{"vorticity", 1, false}};
    static constexpr std::array outputs{Output{"vorticity", 1, {odd_x * odd_y}},
                                        Output{"velocity", 3, parities_of_velocity}};
    static constexpr std::array sums{"energy",       "dissipation",
                                     "enstrophy",    "enstrophy_dissipation",
                                     "palinstrophy", "energy_per_wavenumber"};
    static constexpr std::array<const char*, 0> maxima{};
    static constexpr std::array spectra{0, 2};

    Losses<Real> losses;
    Real beta;

    WHORL_INLINE void velocity(Wavenumber<Real> k, const Complex<Real>* a, Complex<Real>* u) const {
        const Complex<Real> psi = (-inverse_square(k)) * a[0];
        u[0] = times_minus_i(k.y * psi);
        u[1] = times_i(k.x * psi);
        u[2] = {0, 0};
    }

    WHORL_INLINE void from_velocity(Wavenumber<Real> k, const Complex<Real>* u, Complex<Real>* a) const {
        a[0] = times_i(k.x * u[1] - k.y * u[0]);
    }

    WHORL_INLINE void load(Wavenumber<Real> k, const Complex<Real>* a, Complex<Real>* in) const {
        Complex<Real> u[3];
        velocity(k, a, u);
        in[0] = u[0];
        in[1] = u[1];
    }

    WHORL_INLINE void point(const Real* in, Real* p) const {
        const Real u = in[0], v = in[1];
        p[0] = u * v;
        p[1] = v * v - u * u;
    }

    template <class Value> WHORL_INLINE void contract(Real kx, Real ky, const Value* p, Value* f) const {
        f[0] = (kx * kx - ky * ky) * p[0] + kx * ky * p[1];
    }

    WHORL_INLINE void tendency(Wavenumber<Real>, const Complex<Real>* f, const Complex<Real>*,
                               Complex<Real>* da) const {
        da[0] = f[0];
    }

    WHORL_INLINE void decay(Wavenumber<Real> k, Real* rate) const { rate[0] = losses.rate(k); }

    static constexpr bool couples = true;
    WHORL_INLINE void couple(Wavenumber<Real> k, const Complex<Real>* a, Complex<Real>* da) const {
        da[0] = da[0] + times_i((beta * k.x * inverse_square(k)) * a[0]);
    }
    // exp(L t) is a rotation of the phase.
    WHORL_INLINE void advance_coupling(Wavenumber<double> k, double elapsed, Complex<double>* a) const {
        const SineCosine<double> rotation = sine_cosine(beta * k.x * inverse_square(k) * elapsed);
        a[0] = a[0] * Complex<double>{rotation.cosine, rotation.sine};
    }
    // The longest waves of the box are the fastest: |k_x| / k^2 <= 1 / k_min.
    double k_min = 1.0;
    double coupling_norm(Wavenumber<double>) const { return std::abs(static_cast<double>(beta)) / k_min; }
    template <class T> WHORL_INLINE T drift(Wavenumber<T>) const { return T(0); }

    WHORL_INLINE void constrain(Wavenumber<Real> k, Complex<Real>* a) const {
        if (square(k) == Real(0)) a[0] = {0, 0};
    }

    WHORL_INLINE void measure(const Real* in, const Real* inverse_spacing, Real* values) const {
        const Real u[3] = {in[0], in[1], Real(0)};
        advective_rate(u, inverse_spacing, values);
    }

    WHORL_INLINE void output(int which, Wavenumber<Real> k, const Complex<Real>* a,
                             Complex<Real>* out) const {
        if (which == 0)
            out[0] = a[0];
        else
            velocity(k, a, out);
    }

    // energy 1/2 <u^2>, enstrophy 1/2 <zeta^2>, palinstrophy 1/2 <|grad zeta|^2>, the dissipation of energy
    // and enstrophy, and the energy of each mode over its |k|.
    WHORL_ANYWHERE void quadratic(Wavenumber<double> k, const Complex<double>* a, double* values) const {
        const double norm = dot(a[0], a[0]), rate = losses.rate(narrowed<Real>(k));
        values[0] = 0.5 * norm * inverse_square(k);
        values[1] = rate * norm * inverse_square(k);
        values[2] = 0.5 * norm;
        values[3] = rate * norm;
        values[4] = 0.5 * square(k) * norm;
        values[5] = values[0] * std::sqrt(inverse_square(k));
    }
};

} // namespace whorl

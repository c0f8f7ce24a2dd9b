// A flow with an active scalar theta along a vertical z:
//
//   du/dt + div(u u) = -grad p + lift theta z + nu laplacian u + L u,   div u = 0
//   dtheta/dt + div(u theta) = lapse w + kappa laplacian theta - (U.grad) theta
//
// boussinesq.hpp and rayleigh_benard.hpp share this flow; they differ in the meaning of theta and in their
// measures. Eight products (five stresses, three fluxes), six columns.
#pragma once

#include <algorithm>
#include <array>

#include "models/budget.hpp"
#include "models/continuity.hpp"
#include "models/field.hpp"
#include "models/linear.hpp"
#include "models/stress.hpp"

namespace whorl {

template <class Real> struct Buoyancy {
    static constexpr int fields = 4, inputs = 4, products = 8, fluxes = 6, rates = 2;
    static constexpr std::array groups{FieldGroup{"velocity", 3, true}, FieldGroup{"temperature", 1, false}};
    static constexpr std::array outputs{Output{"velocity", 3, parities_of_velocity},
                                        Output{"vorticity", 3, parities_of_vorticity},
                                        Output{"temperature", 1, {odd_z}}};
    // The temperature of the plates is fixed: theta = 0.
    static constexpr std::array input_parities = joined(parities_of_velocity, std::array{odd_z});
    static constexpr std::array stresses = parities_of_stress(parities_of_velocity);
    static constexpr std::array heat = parities_of_flux(parities_of_velocity, odd_z);
    static constexpr std::array product_parities = joined(stresses, heat);
    static constexpr std::array flux_parities =
        joined(parities_of_stress_columns(stresses), parities_of_flux_columns(heat));
    static constexpr int rate_of(int f) { return f / 3; }

    LinearTerms<Real> linear;
    Real kappa;       // diffusivity of theta
    Real lift, lapse; // coefficients of theta in the equation of w, of w in that of theta

    WHORL_INLINE void load(Wavenumber<Real>, const Complex<Real>* a, Complex<Real>* in) const {
        in[0] = a[0];
        in[1] = a[1];
        in[2] = a[2];
        in[3] = a[3];
    }

    WHORL_INLINE void point(const Real* in, Real* p) const {
        const Real u = in[0], v = in[1], w = in[2], theta = in[3];
        p[0] = u * u - w * w;
        p[1] = u * v;
        p[2] = u * w;
        p[3] = v * v - w * w;
        p[4] = v * w;
        p[5] = u * theta;
        p[6] = v * theta;
        p[7] = w * theta;
    }

    template <class Value> WHORL_INLINE void contract(Real kx, Real ky, const Value* p, Value* f) const {
        stress_columns(kx, ky, p, f);
        flux_columns(kx, ky, p + 5, f + 4);
    }

    WHORL_INLINE void tendency(Wavenumber<Real> k, const Complex<Real>* f, const Complex<Real>*,
                               Complex<Real>* da) const {
        minus_stress_divergence(k, f, da);
        da[3] = minus_divergence(k, f + 4);
    }

    WHORL_INLINE void decay(Wavenumber<Real> k, Real* rate) const {
        rate[0] = linear.rate(k);
        rate[1] = kappa * square(k);
    }

    // P(theta z) = theta (z - k k_z / k^2)
    static constexpr bool couples = true;
    template <class T> WHORL_INLINE void couple(Wavenumber<T> k, const Complex<T>* a, Complex<T>* da) const {
        const T along = k.z * inverse_square(k);
        const Complex<T> up = T(lift) * a[3];
        linear.add(k, a, da);
        da[0] = da[0] - (k.x * along) * up;
        da[1] = da[1] - (k.y * along) * up;
        da[2] = da[2] + (T(1) - k.z * along) * up;
        da[3] = da[3] + T(lapse) * a[2] + times_minus_i(linear.drift(k) * a[3]);
    }
    double coupling_norm(Wavenumber<double> largest) const {
        return linear.norm(largest) +
               std::max(std::abs(static_cast<double>(lift)), std::abs(static_cast<double>(lapse)));
    }

    WHORL_INLINE void velocity(Wavenumber<Real>, const Complex<Real>* a, Complex<Real>* u) const {
        u[0] = a[0];
        u[1] = a[1];
        u[2] = a[2];
    }
    template <class T> WHORL_INLINE T drift(Wavenumber<T> k) const { return linear.drift(k); }

    WHORL_INLINE void constrain(Wavenumber<Real> k, Complex<Real>* a) const { close_continuity(k, a); }

    WHORL_INLINE void measure(const Real* in, const Real* inverse_spacing, Real* values) const {
        advective_rate(in, inverse_spacing, values);
    }

    WHORL_INLINE void output(int which, Wavenumber<Real> k, const Complex<Real>* a,
                             Complex<Real>* out) const {
        if (which == 0)
            velocity(k, a, out);
        else if (which == 1)
            curl(k, a, out);
        else
            out[0] = a[3];
    }
};

} // namespace whorl

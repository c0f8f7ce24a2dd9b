// Incompressible Navier-Stokes, density 1:
//
//   du/dt + div(u u) = -grad p + nu laplacian u + L u,   div u = 0
//
// with L u the further linear terms of models/linear.hpp. In Fourier space, with P = 1 - k k / k^2 the
// projection due to the pressure,
//
//   du_i/dt = P_ij (-i k_m (u_j u_m)) - nu k^2 u_i + (L u)_i.
//
// Five products and four columns of the stress: models/stress.hpp.
#pragma once

#include <array>

#include "models/budget.hpp"
#include "models/continuity.hpp"
#include "models/field.hpp"
#include "models/linear.hpp"
#include "models/stress.hpp"

namespace whorl {

template <class Real, class Linear = Viscosity<Real>> struct NavierStokes {
    static constexpr int fields = 3, inputs = 3, products = 5, fluxes = 4, rates = 1;
    static constexpr std::array groups{FieldGroup{"velocity", 3, true}};
    static constexpr std::array outputs{Output{"velocity", 3, parities_of_velocity},
                                        Output{"vorticity", 3, parities_of_vorticity}};
    static constexpr std::array sums{"energy",   "dissipation",  "enstrophy",
                                     "helicity", "palinstrophy", "energy_per_wavenumber"};
    static constexpr std::array maxima{"maximum_divergence"};
    static constexpr std::array spectra{0, 3};
    static constexpr std::array input_parities = parities_of_velocity;
    static constexpr std::array product_parities = parities_of_stress(input_parities);
    static constexpr std::array flux_parities = parities_of_stress_columns(product_parities);

    Linear linear;

    WHORL_INLINE void load(Wavenumber<Real>, const Complex<Real>* a, Complex<Real>* in) const {
        in[0] = a[0];
        in[1] = a[1];
        in[2] = a[2];
    }

    WHORL_INLINE void point(const Real* in, Real* p) const {
        const Real u = in[0], v = in[1], w = in[2];
        p[0] = u * u - w * w;
        p[1] = u * v;
        p[2] = u * w;
        p[3] = v * v - w * w;
        p[4] = v * w;
    }

    template <class Value> WHORL_INLINE void contract(Real kx, Real ky, const Value* p, Value* f) const {
        stress_columns(kx, ky, p, f);
    }

    WHORL_INLINE void tendency(Wavenumber<Real> k, const Complex<Real>* f, const Complex<Real>*,
                               Complex<Real>* da) const {
        minus_stress_divergence(k, f, da);
    }

    WHORL_INLINE void decay(Wavenumber<Real> k, Real* rate) const { rate[0] = linear.rate(k); }

    static constexpr bool couples = Linear::couples;
    WHORL_INLINE void couple(Wavenumber<Real> k, const Complex<Real>* a, Complex<Real>* da) const {
        linear.add(k, a, da);
    }
    WHORL_INLINE void advance_coupling(Wavenumber<double> k, double elapsed, Complex<double>* a) const
        requires Linear::couples
    {
        linear.background.advance(k, elapsed, a);
    }
    double coupling_norm(Wavenumber<double> largest) const {
        if constexpr (couples)
            return linear.norm(largest);
        else
            return 0.0;
    }

    // The velocity for passive scalars.
    WHORL_INLINE void velocity(Wavenumber<Real> k, const Complex<Real>* a, Complex<Real>* u) const {
        load(k, a, u);
    }
    template <class T> WHORL_INLINE T drift(Wavenumber<T> k) const { return linear.drift(k); }

    // k.u = 0 to the last bit, as checkpoints need: the component along the largest |k_i| follows from the
    // others.
    WHORL_INLINE void constrain(Wavenumber<Real> k, Complex<Real>* a) const { close_continuity(k, a); }

    WHORL_INLINE void measure(const Real* in, const Real* inverse_spacing, Real* values) const {
        advective_rate(in, inverse_spacing, values);
    }

    WHORL_INLINE void output(int which, Wavenumber<Real> k, const Complex<Real>* a,
                             Complex<Real>* out) const {
        if (which == 0)
            load(k, a, out);
        else
            curl(k, a, out);
    }

    WHORL_ANYWHERE void quadratic(Wavenumber<double> k, const Complex<double>* a, double* values) const {
        measure_velocity(k, a, linear.rate(narrowed<Real>(k)), values);
        values[6] = divergence(k, a);
    }
};

} // namespace whorl

// A liquid metal in a strong uniform magnetic field, whose induced field follows the flow instantaneously
// (magnetic Reynolds number -> 0):
//
//   du/dt + div(u u) = -grad p + nu laplacian u - Q (n.grad)^2 laplacian^-1 u + L u,   div u = 0
//
// with n the direction of the field and Q = sigma B^2 / rho, which is the interaction parameter if length and
// velocity are 1. Joule damping Q (n.k)^2 / k^2 is a decay like viscosity and is integrated exactly. Moffatt,
// J. Fluid Mech. 28, 571 (1967).
#pragma once

#include "models/navier_stokes.hpp"

namespace whorl {

template <class Real> struct JouleDamping : LinearTerms<Real> {
    Wavenumber<Real> direction{0, 0, 1}; // n
    Real interaction = 0;                // Q

    WHORL_INLINE Real joule_rate(Wavenumber<Real> k) const {
        const Real along = k.x * direction.x + k.y * direction.y + k.z * direction.z;
        return interaction * along * along * inverse_square(k);
    }
    WHORL_INLINE Real rate(Wavenumber<Real> k) const { return this->losses.rate(k) + joule_rate(k); }
};

template <class Real> struct QuasiStaticMhd : NavierStokes<Real, JouleDamping<Real>> {
    static constexpr std::array sums{"energy",       "dissipation",           "enstrophy",        "helicity",
                                     "palinstrophy", "energy_per_wavenumber", "joule_dissipation"};

    // joule_dissipation is the part of the dissipation due to Joule damping.
    WHORL_ANYWHERE void quadratic(Wavenumber<double> k, const Complex<double>* a, double* values) const {
        measure_velocity(k, a, this->linear.rate(narrowed<Real>(k)), values);
        values[6] = static_cast<double>(this->linear.joule_rate(narrowed<Real>(k))) * square_norm(a, 3);
        values[7] = divergence(k, a);
    }
};

} // namespace whorl

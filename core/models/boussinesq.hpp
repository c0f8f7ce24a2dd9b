// Stratified, rotating flow in the Boussinesq approximation, theta in units of velocity:
//
//   du/dt + div(u u) = -grad p - N theta z + nu laplacian u + L u,   div u = 0
//   dtheta/dt + div(u theta) = N w + kappa laplacian theta
//
// N is the buoyancy frequency, b = -N theta the buoyancy; 1/2 <u^2 + theta^2> is conserved without losses.
// Davidson, Turbulence in Rotating, Stratified and Electrically Conducting Fluids (2013), chapter 4.
#pragma once

#include "models/buoyancy.hpp"

namespace whorl {

template <class Real> struct Boussinesq : Buoyancy<Real> {
    static constexpr std::array sums{"energy",           "dissipation",           "enstrophy",
                                     "helicity",         "palinstrophy",          "energy_per_wavenumber",
                                     "potential_energy", "potential_dissipation", "buoyancy_flux"};
    static constexpr std::array maxima{"maximum_divergence"};
    static constexpr std::array spectra{0, 3, 6};

    // potential_energy 1/2 <theta^2>, potential_dissipation kappa <|grad theta|^2>, and buoyancy_flux N <w
    // theta>, the transfer from kinetic to potential energy.
    WHORL_ANYWHERE void quadratic(Wavenumber<double> k, const Complex<double>* a, double* values) const {
        measure_velocity(k, a, this->linear.rate(narrowed<Real>(k)), values);
        values[6] = 0.5 * dot(a[3], a[3]);
        values[7] = static_cast<double>(this->kappa) * square(k) * dot(a[3], a[3]);
        values[8] = static_cast<double>(this->lapse) * dot(a[2], a[3]);
        values[9] = divergence(k, a);
    }
};

} // namespace whorl

// Thermal convection, in units of the distance d of the plates, the difference of their temperatures and the
// free fall time:
//
//   du/dt + div(u u) = -grad p + theta z + sqrt(Pr/Ra) laplacian u - 1/Ro z x u,   div u = 0
//   dtheta/dt + div(u theta) = w + 1/sqrt(Ra Pr) laplacian theta
//
// with theta = T - (1 - z) what convection adds to the conducting profile. Between free-slip, isothermal
// plates theta and w are sines along z, u and v cosines; side walls are free-slip and let no heat through.
// Chandrasekhar, Hydrodynamic and Hydromagnetic Stability (1961), chapter II.
#pragma once

#include <limits>

#include "models/buoyancy.hpp"

namespace whorl {

template <class Real> struct RayleighBenard : Buoyancy<Real> {
    static constexpr std::array sums{
        "energy",           "dissipation",         "enstrophy",       "helicity",      "palinstrophy",
        "thermal_variance", "thermal_dissipation", "convective_flux", "plate_gradient"};
    static constexpr std::array maxima{"maximum_divergence"};
    static constexpr std::array spectra{0, 3, 5};

    double unit_z = 0; // smallest k_z; 0 where there are no plates

    // thermal_variance 1/2 <theta^2>, thermal_dissipation kappa <|grad theta|^2>, convective_flux <w theta>,
    // and plate_gradient, the mean of d theta/dz over both plates, not a number without: only even k_z /
    // unit_z add up, and only they have the same gradient at either.
    void quadratic(Wavenumber<double> k, const Complex<double>* a, double* values) const {
        measure_velocity(k, a, this->linear.rate(narrowed<Real>(k)), values);
        const bool plates = unit_z > 0.0;
        const bool mean = plates && k.x == 0.0 && k.y == 0.0 && std::lround(k.z / unit_z) % 2 == 0;
        values[5] = 0.5 * dot(a[3], a[3]);
        values[6] = static_cast<double>(this->kappa) * square(k) * dot(a[3], a[3]);
        values[7] = dot(a[2], a[3]);
        values[8] = mean ? -k.z * a[3].im : (plates ? 0.0 : std::numeric_limits<double>::quiet_NaN());
        values[9] = divergence(k, a);
    }
};

} // namespace whorl

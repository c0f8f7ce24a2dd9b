// Thermal convection, in units of the distance d of the plates, the difference of their temperatures and the
// free-fall time:
//
//   du/dt + div(u u) = -grad p + theta z + sqrt(Pr/Ra) laplacian u - 1/Ro z x u,   div u = 0
//   dtheta/dt + div(u theta) = w + 1/sqrt(Ra Pr) laplacian theta
//
// with theta = T - (1 - z) the deviation from the conductive profile. Between free-slip, isothermal plates
// theta and w are sines along z, u and v cosines; side walls are free-slip and adiabatic. Chandrasekhar,
// Hydrodynamic and Hydromagnetic Stability (1961), chapter II.
#pragma once

#include <limits>

#include "models/buoyancy.hpp"

namespace whorl {

template <class Real> struct RayleighBenard : Buoyancy<Real> {
    static constexpr std::array sums{"energy",
                                     "dissipation",
                                     "enstrophy",
                                     "palinstrophy",
                                     "energy_per_wavenumber",
                                     "thermal_variance",
                                     "thermal_dissipation",
                                     "convective_flux",
                                     "plate_gradient"};
    static constexpr std::array maxima{"maximum_divergence"};
    static constexpr std::array spectra{0, 5};
    static constexpr bool amplifies = true;

    double unit_z = 0; // smallest k_z; 0 without plates

    // Helicity is left out: between plates velocity is a sine where vorticity is a cosine, so it is not a sum
    // over modes. thermal_variance is 1/2 <theta^2>, thermal_dissipation kappa <|grad theta|^2>, and
    // convective_flux <w theta>. plate_gradient is the mean of d theta/dz over both plates (NaN without
    // plates). Only even k_z / unit_z contribute to it, which have the same gradient at both plates.
    WHORL_ANYWHERE void quadratic(Wavenumber<double> k, const Complex<double>* a, double* values) const {
        double of_velocity[velocity_measures];
        measure_velocity(k, a, this->linear.rate(narrowed<Real>(k)), of_velocity);
        for (const int kept : {0, 1, 2}) values[kept] = of_velocity[kept];
        for (const int moved : {4, 5}) values[moved - 1] = of_velocity[moved];
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

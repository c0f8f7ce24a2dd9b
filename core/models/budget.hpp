// Quadratic measures that models share, of one mode (the caller applies the weight):
//
//   energy       1/2 |u|^2              enstrophy    1/2 k^2 |u|^2
//   dissipation  rate |u|^2             helicity     Re(u* . i k x u)
//   palinstrophy 1/2 k^4 |u|^2          maximum_divergence   |k . u|
//   energy_per_wavenumber 1/2 |u|^2 / |k|, of the mean flow 0
#pragma once

#include <cmath>

#include "models/stress.hpp"

namespace whorl {

// |a|^2 of a solenoidal field or a scalar.
WHORL_ANYWHERE double square_norm(const Complex<double>* a, int components) {
    double sum = 0.0;
    for (int v = 0; v < components; ++v) sum += dot(a[v], a[v]);
    return sum;
}
WHORL_ANYWHERE double dot3(const Complex<double>* a, const Complex<double>* b) {
    return dot(a[0], b[0]) + dot(a[1], b[1]) + dot(a[2], b[2]);
}
WHORL_ANYWHERE double divergence(Wavenumber<double> k, const Complex<double>* a) {
    const Complex<double> sum = k.x * a[0] + k.y * a[1] + k.z * a[2];
    return std::sqrt(dot(sum, sum));
}

inline constexpr int velocity_measures = 6;
// energy, dissipation, enstrophy, helicity, palinstrophy, energy_per_wavenumber
WHORL_ANYWHERE void measure_velocity(Wavenumber<double> k, const Complex<double>* u, double rate,
                                     double* values) {
    const double norm = square_norm(u, 3), k2 = square(k);
    Complex<double> omega[3];
    curl(k, u, omega);
    values[0] = 0.5 * norm;
    values[1] = rate * norm;
    values[2] = 0.5 * k2 * norm;
    values[3] = dot3(u, omega);
    values[4] = 0.5 * k2 * k2 * norm;
    values[5] = 0.5 * norm * std::sqrt(inverse_square(k));
}

template <class Real> WHORL_INLINE Wavenumber<Real> narrowed(Wavenumber<double> k) {
    return {static_cast<Real>(k.x), static_cast<Real>(k.y), static_cast<Real>(k.z)};
}

} // namespace whorl

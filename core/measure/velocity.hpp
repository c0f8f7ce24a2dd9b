// Quadratic measures of a velocity field from its modes.
#pragma once

#include <map>
#include <string>

#include "measure/shells.hpp"

namespace whorl {

template <class Real> struct VelocityField {
    const Complex<Real>* data;
    std::int64_t modes;

    Complex<double> operator()(int component, Mode<Real> mode) const {
        const Complex<Real> a = data[component * modes + mode.index];
        return {static_cast<double>(a.re), static_cast<double>(a.im)};
    }
};

// |u|^2 of one mode.
template <class Real> double square_norm(const VelocityField<Real>& u, Mode<Real> mode) {
    return dot(u(0, mode), u(0, mode)) + dot(u(1, mode), u(1, mode)) + dot(u(2, mode), u(2, mode));
}

// Re(u* . (i k x u)) of one mode: its part of <u . omega>.
template <class Real> double helicity_density(const VelocityField<Real>& u, Mode<Real> mode) {
    const double x = mode.k.x, y = mode.k.y, z = mode.k.z;
    const Complex<double> a = u(0, mode), b = u(1, mode), c = u(2, mode);
    return dot(a, times_i(y * c - z * b)) + dot(b, times_i(z * a - x * c)) + dot(c, times_i(x * b - y * a));
}

// energy        1/2 <u^2>                 enstrophy   1/2 <omega^2> = 1/2 sum k^2 |u|^2
// dissipation   sum 2 decay |u|^2 / 2     helicity    <u . omega>
// palinstrophy  1/2 sum k^4 |u|^2         maximum_divergence   max |k . u| over modes
template <class Real, class Model>
std::map<std::string, double> velocity_statistics(const ModeSet<Real>& set, const VelocityField<Real>& u,
                                                  const Model& model) {
    const auto sums = reduce_modes(set, 5, 1, [&](Mode<Real> mode, double* values) {
        const double weight = mode.weight, k2 = square(mode.k), norm = square_norm(u, mode);
        Real rate[Model::rates];
        model.decay(mode.k, rate);
        values[0] += weight * 0.5 * norm;
        values[1] += weight * static_cast<double>(rate[0]) * norm;
        values[2] += weight * 0.5 * k2 * norm;
        values[3] += weight * helicity_density(u, mode);
        values[4] += weight * 0.5 * k2 * k2 * norm;
        const Complex<double> divergence = static_cast<double>(mode.k.x) * u(0, mode) +
                                           static_cast<double>(mode.k.y) * u(1, mode) +
                                           static_cast<double>(mode.k.z) * u(2, mode);
        const double size = std::sqrt(dot(divergence, divergence));
        values[5] = size > values[5] ? size : values[5];
    });
    return {{"energy", sums[0]},   {"dissipation", sums[1]},  {"enstrophy", sums[2]},
            {"helicity", sums[3]}, {"palinstrophy", sums[4]}, {"maximum_divergence", sums[5]}};
}

template <class Real>
std::vector<double> energy_spectrum(const ModeSet<Real>& set, const VelocityField<Real>& u) {
    return sum_shells(set, [&](Mode<Real> mode) { return 0.5 * square_norm(u, mode); });
}

template <class Real>
std::vector<double> helicity_spectrum(const ModeSet<Real>& set, const VelocityField<Real>& u) {
    return sum_shells(set, [&](Mode<Real> mode) { return helicity_density(u, mode); });
}

// T(k) = Re(u* . N), N the nonlinear tendency: what the shell gains from the others; sums to zero.
template <class Real>
std::vector<double> transfer_spectrum(const ModeSet<Real>& set, const VelocityField<Real>& u,
                                      const VelocityField<Real>& tendency) {
    return sum_shells(set, [&](Mode<Real> mode) {
        return dot(u(0, mode), tendency(0, mode)) + dot(u(1, mode), tendency(1, mode)) +
               dot(u(2, mode), tendency(2, mode));
    });
}

} // namespace whorl

// A field of random phases, solenoidal or not: each mode's numbers depend on its wavenumber and the seed
// alone, so the field is the same on any number of ranks (Rogallo 1981 in spirit; Gaussian amplitudes, then
// scaled by shell).
#pragma once

#include <cmath>
#include <numbers>

#include "base/philox.hpp"
#include "measure/state.hpp"
#include "models/continuity.hpp"
#include "models/field.hpp"
#include "models/stress.hpp"

namespace whorl {

// Complex Gaussians of the mode, perpendicular to k where the field is solenoidal; the mode and its conjugate
// agree where both are kept. No mean.
template <class Real>
inline void random_mode(Wavenumber<Real> k, std::array<int, 3> n, std::uint64_t seed, FieldGroup group,
                        Complex<Real>* a) {
    const bool mirrored = n[0] == 0 && (n[1] < 0 || (n[1] == 0 && n[2] < 0));
    const int sign = mirrored ? -1 : 1;
    const auto components = static_cast<std::uint32_t>(group.components);
    for (std::uint32_t component = 0; component < components; ++component) {
        const PhiloxBlock words =
            philox({static_cast<std::uint32_t>(sign * n[0]), static_cast<std::uint32_t>(sign * n[1]),
                    static_cast<std::uint32_t>(sign * n[2]), component},
                   {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
        const double radius = std::sqrt(-2.0 * std::log(uniform(words[0])));
        const double angle = 2.0 * std::numbers::pi * uniform(words[1]);
        a[component] = {static_cast<Real>(radius * std::cos(angle)),
                        static_cast<Real>(sign * radius * std::sin(angle))};
    }
    const Real zero = square(k) > Real(0) ? Real(1) : Real(0);
    if (group.solenoidal) {
        project(k, a);
        for (int v = 0; v < 3; ++v) a[v] = zero * a[v];
        close_continuity(k, a);
    } else {
        for (int v = 0; v < group.components; ++v) a[v] = zero * a[v];
    }
}

// Fills `field` and scales it so that shell n holds exactly energy[n] (shells without modes, or beyond, hold
// none).
// Energy is 1/2 metric(k) |a|^2.
template <class Real, class Metric>
void set_random(const ModeSet<Real>& set, const Box& box, FieldGroup group, Complex<Real>* field,
                const std::vector<double>& energy, std::uint64_t seed, const Metric& metric) {
    const std::int64_t modes = set.table.modes();
    const auto number = [&](double k, int axis) { return static_cast<int>(std::lround(k / box.unit(axis))); };
    each_mode(set, [&](Mode<Real> mode) {
        Complex<Real> a[3];
        random_mode(mode.k, {number(mode.k.x, 0), number(mode.k.y, 1), number(mode.k.z, 2)}, seed, group, a);
        for (int v = 0; v < group.components; ++v) field[v * modes + mode.index] = a[v];
    });
    const auto present = sum_shells(set, [&](Mode<Real> mode) {
        double sum = 0.0;
        for (int v = 0; v < group.components; ++v)
            sum += dot(field[v * modes + mode.index], field[v * modes + mode.index]);
        return 0.5 * metric(widened(mode.k)) * sum;
    });
    each_mode(set, [&](Mode<Real> mode) {
        const auto shell = static_cast<std::size_t>(shell_of(set, mode.k));
        const double wanted = shell < energy.size() ? energy[shell] : 0.0;
        const Real factor =
            present[shell] > 0.0 ? static_cast<Real>(std::sqrt(wanted / present[shell])) : Real(0);
        Complex<Real> a[3];
        for (int v = 0; v < group.components; ++v) a[v] = factor * field[v * modes + mode.index];
        if (group.solenoidal) close_continuity(mode.k, a);
        for (int v = 0; v < group.components; ++v) field[v * modes + mode.index] = a[v];
    });
}

} // namespace whorl

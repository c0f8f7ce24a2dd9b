// A random field, solenoidal or not: the numbers of each mode depend only on its wavenumber and the seed, so
// the field is the same on any number of ranks (similar to Rogallo 1981; amplitudes are Gaussian, then scaled
// by shell).
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "base/philox.hpp"
#include "device/buffer.hpp"
#include "measure/state.hpp"
#include "models/continuity.hpp"
#include "models/field.hpp"
#include "models/stress.hpp"

namespace whorl {

// Complex Gaussian amplitudes of the mode, perpendicular to k if the field is solenoidal. The mean is zero.
//
// The field is real, and between walls even or odd: a component's amplitude at -k, reflected by the walls, is
// its conjugate, with a minus where it is a sine along an odd number of walled axes. If both are kept, or are
// the same mode, the function gives consistent values; a sine has no amplitude at wavenumber 0.
template <class Real>
WHORL_ANYWHERE void random_mode(Wavenumber<Real> k, std::array<int, 3> n, const Box& box, std::uint64_t seed,
                                FieldGroup group, std::array<Parity, 3> parities, Complex<Real>* a) {
    const bool paired = n[0] == 0 || box.wall(0);
    const int y = box.wall(1) ? 0 : n[1], z = box.wall(2) ? 0 : n[2], leading = y != 0 ? y : z;
    const bool mirrored = paired && leading < 0, alone = paired && leading == 0;
    const std::array<int, 3> of{n[0], mirrored ? n[1] - 2 * y : n[1], mirrored ? n[2] - 2 * z : n[2]};
    const auto components = static_cast<std::uint32_t>(group.components);
    for (std::uint32_t component = 0; component < components; ++component) {
        const Parity given = parities[component];
        const Parity sine{given.x && box.wall(0), given.y && box.wall(1), given.z && box.wall(2)};
        const bool none = (sine.x && n[0] == 0) || (sine.y && n[1] == 0) || (sine.z && n[2] == 0);
        const double odd = sine.sines() % 2 == 1 ? -1.0 : 1.0;
        const PhiloxBlock words =
            philox({static_cast<std::uint32_t>(of[0]), static_cast<std::uint32_t>(of[1]),
                    static_cast<std::uint32_t>(of[2]), component},
                   {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
        const double radius = none ? 0.0 : std::sqrt(-2.0 * std::log(uniform(words[0])));
        const double angle = 2.0 * std::numbers::pi * uniform(words[1]);
        const double re = radius * std::cos(angle), im = radius * std::sin(angle);
        if (alone)
            a[component] = {static_cast<Real>(odd > 0 ? re : 0.0), static_cast<Real>(odd > 0 ? 0.0 : im)};
        else
            a[component] = {static_cast<Real>(mirrored ? odd * re : re),
                            static_cast<Real>(mirrored ? -odd * im : im)};
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

// The metric of the energy of a mode, 1/2 metric(k) |a|^2.
enum class Metric { one, inverse_square };
WHORL_INLINE double metric_at(Metric metric, Wavenumber<double> k) {
    return metric == Metric::one ? 1.0 : inverse_square(k);
}

// Kernels that set and scale the random modes of a field.
template <class Real> struct RandomField {
    Box box;
    std::array<double, 3> unit; // smallest wavenumbers of the box
    FieldGroup group;
    std::array<Parity, 3> parities;
    Complex<Real>* field;
    std::int64_t modes;
    std::uint64_t seed;
    Metric metric;
};
template <class Real> struct SetRandom {
    RandomField<Real> of;

    WHORL_INLINE void operator()(Mode<Real> mode) const {
        const auto number = [&](double k, std::size_t axis) {
            return static_cast<int>(std::lround(k / of.unit[axis]));
        };
        const std::array<int, 3> n{number(mode.k.x, 0), number(mode.k.y, 1), number(mode.k.z, 2)};
        Complex<Real> a[3];
        random_mode(mode.k, n, of.box, of.seed, of.group, of.parities, a);
        for (int v = 0; v < of.group.components; ++v) of.field[v * of.modes + mode.index] = a[v];
    }
};
template <class Real> struct RandomEnergy {
    RandomField<Real> of;

    WHORL_INLINE double operator()(Mode<Real> mode) const {
        double sum = 0.0;
        for (int v = 0; v < of.group.components; ++v) {
            const Complex<Real> a = of.field[v * of.modes + mode.index];
            sum += dot(a, a);
        }
        return 0.5 * metric_at(of.metric, {mode.k.x, mode.k.y, mode.k.z}) * sum;
    }
};
template <class Real> struct ScaleByShell {
    RandomField<Real> of;
    Shells shells;
    const Real* factors;

    WHORL_INLINE void operator()(Mode<Real> mode) const {
        const Real factor = factors[shells.of(mode.k)];
        Complex<Real> a[3];
        for (int v = 0; v < of.group.components; ++v) a[v] = factor * of.field[v * of.modes + mode.index];
        if (of.group.solenoidal) close_continuity(mode.k, a);
        for (int v = 0; v < of.group.components; ++v) of.field[v * of.modes + mode.index] = a[v];
    }
};

// Sets the field and scales it so that shell n holds exactly energy[n] (shells without modes, and shells
// beyond the list, hold none).
template <class Device, class Real>
void set_random(const ModeSet<Device, Real>& set, const RandomField<Real>& field,
                const std::vector<double>& energy) {
    each_mode(set, SetRandom<Real>{field});
    const auto present = sum_shells(set, RandomEnergy<Real>{field});
    std::vector<Real> factors;
    for (std::size_t shell = 0; shell < present.size(); ++shell) {
        const double wanted = shell < energy.size() ? energy[shell] : 0.0;
        factors.push_back(present[shell] > 0.0 ? static_cast<Real>(std::sqrt(wanted / present[shell]))
                                               : Real(0));
    }
    const device::Table<Real, typename Device::Memory> table(factors);
    each_mode(set, ScaleByShell<Real>{field, set.shells, table.data()});
    set.device.finish();
}

} // namespace whorl

// A random field, solenoidal or not: the numbers of each mode depend only on its wavenumber and the seed, so
// the field is the same on any number of ranks (similar to Rogallo 1981; amplitudes are Gaussian, then scaled
// by shell).
#pragma once

#include <array>
#include <cmath>

#include "base/philox.hpp"
#include "device/buffer.hpp"
#include "grid/real_field.hpp"
#include "measure/state.hpp"
#include "models/continuity.hpp"
#include "models/field.hpp"
#include "models/stress.hpp"

namespace whorl {

// Complex Gaussian amplitudes of the mode, perpendicular to k if the field is solenoidal. The mean is zero.
// The field is real (grid/real_field.hpp).
template <class Real>
WHORL_ANYWHERE void random_mode(Wavenumber<Real> k, std::array<int, 3> n, const Box& box, std::uint64_t seed,
                                FieldGroup group, std::array<Parity, 3> parities, Complex<Real>* a) {
    const RealMode mode(n, box);
    const auto components = static_cast<std::uint32_t>(group.components);
    for (std::uint32_t component = 0; component < components; ++component) {
        const PhiloxBlock words =
            philox({static_cast<std::uint32_t>(mode.of[0]), static_cast<std::uint32_t>(mode.of[1]),
                    static_cast<std::uint32_t>(mode.of[2]), component},
                   halves(seed));
        const std::array<double, 2> normal = normals(words[0], words[1]);
        const Complex<double> drawn =
            RealAmplitude(n, parities[component], box).from(mode, normal[0], normal[1]);
        a[component] = {static_cast<Real>(drawn.re), static_cast<Real>(drawn.im)};
    }
    const Real zero = square(k) > Real(0) ? Real(1) : Real(0);
    if (group.solenoidal) make_solenoidal(k, group.components, a);
    for (int v = 0; v < group.components; ++v) a[v] = zero * a[v];
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
        Complex<Real> a[3] = {};
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
        Complex<Real> a[3] = {};
        for (int v = 0; v < of.group.components; ++v) a[v] = factor * of.field[v * of.modes + mode.index];
        if (of.group.solenoidal) close_continuity(mode.k, of.group.components, a);
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

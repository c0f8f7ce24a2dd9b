// Measures of a state from its modes: the quadratic ones that a model declares, those of passive scalars, and
// the transfer of a tendency into each shell.
#pragma once

#include <array>
#include <vector>

#include "base/maximum.hpp"
#include "measure/shells.hpp"
#include "models/continuity.hpp"
#include "models/stress.hpp"

namespace whorl {

// Fields one after another, `modes` complex numbers each.
template <class Real> struct FieldView {
    const Complex<Real>* data;
    std::int64_t modes;

    WHORL_INLINE FieldView from(int field) const { return {data + field * modes, modes}; }
    template <int count> WHORL_INLINE std::array<Complex<double>, count> at(Mode<Real> mode) const {
        std::array<Complex<double>, count> a;
        for (int f = 0; f < count; ++f) a[static_cast<std::size_t>(f)] = (*this)(f, mode);
        return a;
    }
    WHORL_INLINE Complex<double> operator()(int field, Mode<Real> mode) const {
        const Complex<Real> a = data[field * modes + mode.index];
        return {static_cast<double>(a.re), static_cast<double>(a.im)};
    }
};

template <class Model>
inline constexpr int measures_of = static_cast<int>(Model::sums.size() + Model::maxima.size());

// The measures of a mode, weighted, in the order of the model's sums and then of its maxima.
template <class Model, class Real> struct AddMeasures {
    FieldView<Real> state;
    Model model;

    WHORL_INLINE void operator()(Mode<Real> mode, double* values) const {
        constexpr int sums = static_cast<int>(Model::sums.size()), all = measures_of<Model>;
        double of_mode[all] = {};
        model.quadratic(widened(mode.k), state.template at<Model::fields>(mode).data(), of_mode);
        for (int n = 0; n < sums; ++n) values[n] += static_cast<double>(mode.weight) * of_mode[n];
        for (int n = sums; n < all; ++n) values[n] = larger(of_mode[n], values[n]);
    }
};
// One of these measures.
template <class Model, class Real> struct Measure {
    FieldView<Real> state;
    Model model;
    int which;

    WHORL_INLINE double operator()(Mode<Real> mode) const {
        double values[measures_of<Model>] = {};
        model.quadratic(widened(mode.k), state.template at<Model::fields>(mode).data(), values);
        return values[which];
    }
};

// The model's sums and maxima.
template <class Model, class Device, class Real>
std::vector<double> model_measures(const ModeSet<Device, Real>& set, const FieldView<Real>& state,
                                   const Model& model) {
    constexpr int sums = static_cast<int>(Model::sums.size());
    return reduce_modes(set, sums, measures_of<Model> - sums, AddMeasures<Model, Real>{state, model});
}

// The spectrum of one of the sums.
template <class Model, class Device, class Real>
std::vector<double> model_spectrum(const ModeSet<Device, Real>& set, const FieldView<Real>& state,
                                   const Model& model, int which) {
    return sum_shells(set, Measure<Model, Real>{state, model, which});
}

// Re(a* . b) over `components` consecutive fields, times `factor`.
template <class Real> struct Product {
    FieldView<Real> a, b;
    int components;
    double factor;

    WHORL_INLINE double operator()(Mode<Real> mode) const {
        double sum = 0.0;
        for (int v = 0; v < components; ++v) sum += dot(a(v, mode), b(v, mode));
        return factor * sum;
    }
};

// 1/2 |a|^2 over `components` consecutive fields, by shell.
template <class Device, class Real>
std::vector<double> energy_spectrum(const ModeSet<Device, Real>& set, const FieldView<Real>& field,
                                    int components) {
    return sum_shells(set, Product<Real>{field, field, components, 0.5});
}

// T(k) = Re(a* . N) with N the tendency: the gain of the shell from other shells and other fields.
template <class Device, class Real>
std::vector<double> transfer_spectrum(const ModeSet<Device, Real>& set, const FieldView<Real>& field,
                                      const FieldView<Real>& tendency, int components) {
    return sum_shells(set, Product<Real>{field, tendency, components, 1.0});
}

// k^2 Re(u* . N), k that of each mode: the gain of the shell's enstrophy.
template <class Real> struct EnstrophyGain {
    Product<Real> of_energy;

    WHORL_INLINE double operator()(Mode<Real> mode) const {
        return square(widened(mode.k)) * of_energy(mode);
    }
};
template <class Device, class Real>
std::vector<double> enstrophy_transfer(const ModeSet<Device, Real>& set, const FieldView<Real>& velocity,
                                       const FieldView<Real>& tendency) {
    return sum_shells(set, EnstrophyGain<Real>{{velocity, tendency, 3, 1.0}});
}

// Measures of a passive scalar with its diffusivity and mean gradient G (docs/models/scalars.md):
//   variance 1/2 <theta^2>   dissipation kappa <|grad theta|^2>   production -G.<u theta>
inline constexpr std::array scalar_measures{"variance", "dissipation", "production"};
template <class Flow, class Real> struct AddScalar {
    FieldView<Real> state;
    Flow flow;
    int field; // of the state
    std::array<double, 4> scalar;

    WHORL_INLINE void operator()(Mode<Real> mode, double* values) const {
        Complex<Real> a[Flow::fields], u[3];
        for (int f = 0; f < Flow::fields; ++f) a[f] = state.data[f * state.modes + mode.index];
        flow.velocity(mode.k, a, u);
        const Complex<double> theta = state(field, mode);
        const double weight = mode.weight, k2 = square(widened(mode.k)), norm = dot(theta, theta);
        values[0] += weight * 0.5 * norm;
        values[1] += weight * scalar[0] * k2 * norm;
        for (std::size_t axis = 0; axis < 3; ++axis)
            values[2] -=
                weight * scalar[axis + 1] *
                dot(theta, Complex<double>{static_cast<double>(u[axis].re), static_cast<double>(u[axis].im)});
    }
};

// The measures of the scalar that is a field of the state, in the order of scalar_measures.
template <class Flow, class Device, class Real>
std::vector<double> measures_of_scalar(const ModeSet<Device, Real>& set, const FieldView<Real>& state,
                                       const Flow& flow, int field, const std::array<double, 4>& scalar) {
    return reduce_modes(set, static_cast<int>(scalar_measures.size()), 0,
                        AddScalar<Flow, Real>{state, flow, field, scalar});
}

// Kernels between the modes of the state and those of a field that is read or set.

// Computes an output of the model from the state.
template <class Model, class Real> struct Derive {
    Model model;
    const Complex<Real>* state;
    Complex<Real>* made;
    std::int64_t modes;
    int which, components;

    WHORL_INLINE void operator()(Mode<Real> mode) const {
        constexpr int most = Model::fields > 3 ? Model::fields : 3;
        Complex<Real> a[Model::fields], out[most] = {};
        for (int f = 0; f < Model::fields; ++f) a[f] = state[f * modes + mode.index];
        model.output(which, mode.k, a, out);
        for (int v = 0; v < components; ++v) made[v * modes + mode.index] = out[v];
    }
};

// Computes the state from a velocity.
template <class Model, class Real> struct TakeVelocity {
    Model model;
    const Complex<Real>* u;
    Complex<Real>* state;
    std::int64_t modes;

    WHORL_INLINE void operator()(Mode<Real> mode) const {
        Complex<Real> of_mode[3], a[Model::fields];
        for (int v = 0; v < 3; ++v) of_mode[v] = u[v * modes + mode.index];
        model.from_velocity(mode.k, of_mode, a);
        for (int f = 0; f < Model::fields; ++f) state[f * modes + mode.index] = a[f];
    }
};

// Removes the part along k of a field (models/stress.hpp).
template <class Real> struct MakeSolenoidal {
    Complex<Real>* field;
    std::int64_t modes;
    int components;

    WHORL_INLINE void operator()(Mode<Real> mode) const {
        Complex<Real> a[3] = {};
        for (int v = 0; v < components; ++v) a[v] = field[v * modes + mode.index];
        make_solenoidal(mode.k, components, a);
        for (int v = 0; v < components; ++v) field[v * modes + mode.index] = a[v];
    }
};

} // namespace whorl

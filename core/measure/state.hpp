// Measures of a state from its modes: the quadratic ones a model declares, those of passive scalars, and what
// a tendency brings into each shell.
#pragma once

#include <array>
#include <map>
#include <string>

#include "measure/shells.hpp"

namespace whorl {

// Fields one after another, `modes` complex numbers each.
template <class Real> struct FieldView {
    const Complex<Real>* data;
    std::int64_t modes;

    FieldView from(int field) const { return {data + field * modes, modes}; }
    template <int count> std::array<Complex<double>, count> at(Mode<Real> mode) const {
        std::array<Complex<double>, count> a;
        for (int f = 0; f < count; ++f) a[static_cast<std::size_t>(f)] = (*this)(f, mode);
        return a;
    }
    Complex<double> operator()(int field, Mode<Real> mode) const {
        const Complex<Real> a = data[field * modes + mode.index];
        return {static_cast<double>(a.re), static_cast<double>(a.im)};
    }
};

template <class Real> Wavenumber<double> widened(Wavenumber<Real> k) { return {k.x, k.y, k.z}; }

using Statistics = std::map<std::string, double>;
using SpectraByName = std::map<std::string, std::vector<double>>;

template <class Model>
inline constexpr int measures_of = static_cast<int>(Model::sums.size() + Model::maxima.size());

template <class Model, class Real>
Statistics model_statistics(const ModeSet<Real>& set, const FieldView<Real>& state, const Model& model) {
    constexpr std::size_t sums = Model::sums.size(), all = measures_of<Model>;
    const auto totals = reduce_modes(set, sums, all - sums, [&](Mode<Real> mode, double* values) {
        std::array<double, all> of_mode{};
        model.quadratic(widened(mode.k), state.template at<Model::fields>(mode).data(), of_mode.data());
        for (std::size_t n = 0; n < sums; ++n) values[n] += static_cast<double>(mode.weight) * of_mode[n];
        for (std::size_t n = sums; n < all; ++n) values[n] = of_mode[n] > values[n] ? of_mode[n] : values[n];
    });
    Statistics statistics;
    for (std::size_t n = 0; n < all; ++n)
        statistics[n < sums ? Model::sums[n] : Model::maxima[n - sums]] = totals[n];
    return statistics;
}

template <class Model, class Real>
SpectraByName model_spectra(const ModeSet<Real>& set, const FieldView<Real>& state, const Model& model) {
    SpectraByName spectra;
    for (const int which : Model::spectra) {
        const auto n = static_cast<std::size_t>(which);
        spectra[Model::sums[n]] = sum_shells(set, [&](Mode<Real> mode) {
            std::array<double, measures_of<Model>> values{};
            model.quadratic(widened(mode.k), state.template at<Model::fields>(mode).data(), values.data());
            return values[n];
        });
    }
    return spectra;
}

// 1/2 |a|^2 of some fields in turn, by shell.
template <class Real>
std::vector<double> energy_spectrum(const ModeSet<Real>& set, const FieldView<Real>& field, int components) {
    return sum_shells(set, [&](Mode<Real> mode) {
        double sum = 0.0;
        for (int v = 0; v < components; ++v) sum += dot(field(v, mode), field(v, mode));
        return 0.5 * sum;
    });
}

// T(k) = Re(a* . N), N the tendency: what the shell gains from the others and from other fields.
template <class Real>
std::vector<double> transfer_spectrum(const ModeSet<Real>& set, const FieldView<Real>& field,
                                      const FieldView<Real>& tendency, int components) {
    return sum_shells(set, [&](Mode<Real> mode) {
        double sum = 0.0;
        for (int v = 0; v < components; ++v) sum += dot(field(v, mode), tendency(v, mode));
        return sum;
    });
}

// Of a passive scalar with its diffusivity and mean gradient G (docs/models/scalars.md):
//   variance 1/2 <theta^2>   dissipation kappa <|grad theta|^2>   production -G.<u theta>
template <class Model, class Real>
Statistics scalar_statistics(const ModeSet<Real>& set, const FieldView<Real>& state, const Model& model,
                             int number, const std::array<double, 4>& scalar) {
    const FieldView<Real> own = state.from(Model::fields + number);
    const auto totals = reduce_modes(set, 3, 0, [&](Mode<Real> mode, double* values) {
        Complex<Real> flow[Model::fields], u[3];
        for (int f = 0; f < Model::fields; ++f) flow[f] = state.data[f * state.modes + mode.index];
        model.velocity(mode.k, flow, u);
        const Complex<double> theta = own(0, mode);
        const double weight = mode.weight, k2 = square(widened(mode.k)), norm = dot(theta, theta);
        values[0] += weight * 0.5 * norm;
        values[1] += weight * scalar[0] * k2 * norm;
        for (std::size_t axis = 0; axis < 3; ++axis)
            values[2] -= weight * scalar[axis + 1] *
                         dot(theta, {static_cast<double>(u[axis].re), static_cast<double>(u[axis].im)});
    });
    const std::string name = "scalar" + std::to_string(number);
    return {{name + "_variance", totals[0]},
            {name + "_dissipation", totals[1]},
            {name + "_production", totals[2]}};
}

} // namespace whorl

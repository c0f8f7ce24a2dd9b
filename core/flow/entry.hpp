// Makes a ModelEntry from a function that returns the model for Options and a precision; included by the
// files models_<name>.cpp, which are compiled once for each device.
#pragma once

#include <cmath>

#include "device/chosen.hpp"
#include "flow/flow.hpp"
#include "models/linear.hpp"
#include "steppers/equation_of.hpp"

namespace whorl {

template <class Real> Wavenumber<Real> vector_of(const Options& options, const std::string& name) {
    const auto v = options.vector_parameter(name);
    return {static_cast<Real>(v[0]), static_cast<Real>(v[1]), static_cast<Real>(v[2])};
}

// nu_h and mu are converted to rates at the shortest and the longest wave of the grid.
template <class Real> Losses<Real> losses_of(const Options& options) {
    const auto real = [&](const char* name) { return static_cast<Real>(options.parameter(name)); };
    const auto power = [&](const char* name) { return static_cast<int>(options.parameter(name)); };
    const Real nu = real("viscosity");
    const Box box = options.box();
    const double low = box.smallest_wavenumber(), high = box.largest_wavenumber();
    const auto rate = [&](const char* name, double k, int p) {
        const double given = options.parameter(name);
        const auto value = static_cast<Real>(given * std::pow(k, 2 * p));
        WHORL_REQUIRE(std::isfinite(value) && (given == 0.0 || value > Real(0)),
                      std::string(name) + " = " + shown(given) + " with power " +
                          std::to_string(std::abs(p)) +
                          " gives a rate beyond the range of the precision at k = " + shown(k) +
                          ": choose a smaller power or precision = \"double\".");
        return value;
    };
    const int p = power("hyperviscosity_power"), q = power("hypoviscosity_power");
    return {nu,           rate("hyperviscosity", high, p),        rate("hypoviscosity", low, -q), p, q,
            real("drag"), static_cast<Real>(1.0 / (high * high)), static_cast<Real>(low * low)};
}

template <class Real> LinearTerms<Real> linear_terms_of(const Options& options) {
    return {losses_of<Real>(options),
            {vector_of<Real>(options, "rotation"), vector_of<Real>(options, "mean_velocity")}};
}

// choose(options, Real(), use) calls use(model) with the model of these options.
template <class Device, class Choose> ModelEntry entry_of(const Choose& choose) {
    ModelEntry entry;
    entry.make = [choose](const Options& options, int communicator) {
        std::unique_ptr<Flow> flow;
        const auto in = [&]<class Real>(Real) {
            choose(options, Real(), [&]<class Model>(const Model& model) {
                options.check_parameters();
                flow = make_flow_of<Device, Real>(options, communicator,
                                                  std::make_unique<EquationOf<Model, Device, Real>>(model));
            });
        };
        if (options.is_double())
            in(double());
        else
            in(float());
        return flow;
    };
    entry.shape = [choose](const Options& options) {
        ModelShape shape;
        choose(options, double(),
               [&]<class Model>(const Model&) { shape = shape_of(declaration_of<Model>(), options); });
        return shape;
    };
    return entry;
}

} // namespace whorl

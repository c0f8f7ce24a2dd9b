// The declarations of a model's type as values, for code that is compiled once for all models.
#pragma once

#include <vector>

#include "models/field.hpp"
#include "roundtrip/mode.hpp"

namespace whorl {

// A model with a velocity carries passive scalars.
template <class Model>
concept HasVelocity = requires(const Model& model) { model.drift(Wavenumber<double>{}); };

// A model without a velocity in its state may be set from one.
template <class Model>
concept SetFromVelocity = requires(const Model& model) { model.from_velocity({}, nullptr, nullptr); };

// The work of the Lorentz force, <u.(j x (B0 + b))>, is the loss of the magnetic field by induction.
template <class Model>
concept LosesToField = requires { requires Model::has_lorentz_force; };

struct Declaration {
    int fields, inputs, products, fluxes;
    std::vector<FieldGroup> groups; // of the state, in order
    std::vector<Output> outputs;
    std::vector<const char*> sums, maxima; // quadratic measures
    std::vector<int> spectra;              // numbers of the sums that have spectra
    bool is_wave_function, mean_grows, has_velocity, set_from_velocity, amplifies, loses_to_field;
    int velocity_inputs;  // the first inputs, which are a velocity: at most three
    int inner_fields = 0; // that a stage makes for itself
};

template <class Model> Declaration declaration_of() {
    return {Model::fields,
            Model::inputs,
            Model::products,
            Model::fluxes,
            {Model::groups.begin(), Model::groups.end()},
            {Model::outputs.begin(), Model::outputs.end()},
            {Model::sums.begin(), Model::sums.end()},
            {Model::maxima.begin(), Model::maxima.end()},
            {Model::spectra.begin(), Model::spectra.end()},
            IsWaveFunction<Model>,
            mean_grows<Model>,
            HasVelocity<Model>,
            SetFromVelocity<Model>,
            Amplifies<Model>,
            LosesToField<Model>,
            Model::inputs < 3 ? Model::inputs : 3};
}

} // namespace whorl

// The variables and measures of a model, from the declarations of its type.
#pragma once

#include "bindings/flow.hpp"
#include "measure/superfluid.hpp"

namespace whorl {

// True if a model without a velocity in its state can be set from one.
template <class Model>
concept SetFromVelocity = requires(const Model& model) { model.from_velocity({}, nullptr, nullptr); };

// True if the work of the Lorentz force, <u.(j x (B0 + b))>, is the loss of the magnetic field by induction.
template <class Model>
concept LosesToField = requires { requires Model::has_lorentz_force; };

// Adds passive scalars to the shape of the model that carries them.
template <class Model> void add_scalars(const std::vector<NamedScalar>& scalars, ModelShape& shape) {
    for (const auto& [name, constants] : scalars) {
        shape.fields.emplace_back(name, 1);
        shape.outputs.emplace_back(name, 1);
        for (const char* part : scalar_measures) shape.statistics.push_back(name + "_" + part);
        shape.spectra.push_back(name + "_" + scalar_measures[0]);
    }
    const auto count = static_cast<int>(scalars.size());
    shape.inputs += count;
    shape.products = std::max(Model::inputs, Model::products) + 3 * count;
    shape.fluxes += 2 * count;
}

// The axes along which each component is a sum of sines.
inline std::vector<std::string> sines_of(const Output& output) {
    std::vector<std::string> sines(static_cast<std::size_t>(output.components));
    for (std::size_t v = 0; v < sines.size(); ++v)
        for (const int axis : {0, 1, 2})
            if (output.parities[v].odd(axis)) sines[v] += "xyz"[axis];
    return sines;
}

template <class Model> ModelShape shape_of_model(const Options& options) {
    ModelShape shape;
    shape.inputs = Model::inputs;
    shape.products = Model::products;
    shape.fluxes = Model::fluxes;
    for (const FieldGroup& group : Model::groups) shape.fields.emplace_back(group.name, group.components);
    for (const Output& output : Model::outputs) {
        shape.outputs.emplace_back(output.name, output.components);
        shape.sines[output.name] = sines_of(output);
    }
    for (const char* name : Model::sums) shape.statistics.emplace_back(name);
    for (const char* name : Model::maxima) shape.statistics.emplace_back(name);
    for (const int which : Model::spectra)
        shape.spectra.emplace_back(Model::sums[static_cast<std::size_t>(which)]);
    if constexpr (LosesToField<Model>) shape.statistics.emplace_back("lorentz_work");
    if constexpr (IsWaveFunction<Model>) {
        shape.measured = FlowOfWaveFunction<double>::inputs;
        for (const char* name : superfluid_statistics) shape.statistics.emplace_back(name);
        for (const int which : {0, 1})
            shape.spectra.emplace_back(superfluid_statistics[static_cast<std::size_t>(which)]);
    }
    if (options.scalars.empty()) return shape;
    if constexpr (HasVelocity<Model>) {
        add_scalars<Model>(options.scalars, shape);
        return shape;
    } else {
        throw Error("model " + options.model +
                    " has no velocity that could carry passive scalars; leave them out.");
    }
}

} // namespace whorl

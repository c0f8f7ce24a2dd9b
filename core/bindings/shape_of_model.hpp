// What a model carries and measures, from what its type declares.
#pragma once

#include "bindings/flow.hpp"
#include "measure/superfluid.hpp"

namespace whorl {

inline std::string scalar_name(std::size_t s) { return "scalar" + std::to_string(s); }

// Has a model without a velocity in its state a way to be set from one?
template <class Model>
concept SetFromVelocity = requires(const Model& model) { model.from_velocity({}, nullptr, nullptr); };

// Is the work of the Lorentz force, <u.(j x (B0 + b))>, what induction takes from the magnetic field?
template <class Model>
concept LosesToField = requires { requires Model::has_lorentz_force; };

// What passive scalars add to the shape of the model that carries them.
template <class Model> void add_scalars(int scalars, ModelShape& shape) {
    for (int s = 0; s < scalars; ++s) {
        const std::string name = scalar_name(static_cast<std::size_t>(s));
        shape.fields.emplace_back(name, 1);
        shape.outputs.emplace_back(name, 1);
        for (const char* part : {"_variance", "_dissipation", "_production"})
            shape.statistics.push_back(name + part);
        shape.spectra.push_back(name + "_variance");
    }
    shape.inputs += scalars;
    shape.products = std::max(Model::inputs, Model::products) + 3 * scalars;
    shape.fluxes += 2 * scalars;
}

template <class Model> ModelShape shape_of_model(const Options& options) {
    ModelShape shape{Model::inputs, Model::products, Model::fluxes, 0, {}, {}, {}, {}};
    for (const FieldGroup& group : Model::groups) shape.fields.emplace_back(group.name, group.components);
    for (const Output& output : Model::outputs) shape.outputs.emplace_back(output.name, output.components);
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
        add_scalars<Model>(static_cast<int>(options.scalars.size()), shape);
        return shape;
    } else {
        throw Error("model " + options.model +
                    " has no velocity that could carry passive scalars; leave them out.");
    }
}

} // namespace whorl

// The fields of a flow by name: those of the state, and outputs of the model, which are computed from it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/choice.hpp"
#include "fields/physical.hpp"
#include "flow/flow.hpp"
#include "flow/make_program_runs.hpp"
#include "measure/state.hpp"
#include "steppers/stepper.hpp"

namespace whorl {

// The parts of a flow that its fields, forces, measures and files share.
template <class Device, class Real> struct FlowParts {
    const Options& options;
    const exchange::Communicator& world;
    const Truncation& truncation;
    const ModelShape& shape;
    const Equation<Device, Real>& equation;
    RoundTrip<Device, Real>& trip;
    Stepper<Device, Real>& stepper;
    int shells; // of spectra

    const Declaration& model() const { return equation.declaration(); }
    ModeSet<Device, Real> modes() const {
        return {trip.device(), world,        trip.exchanges().watchdog(),
                trip.table(),  trip.modes(), {options.box().smallest_wavenumber(), shells}};
    }
};

// A field of the state, the number of its first component, and its name in checkpoints. Checkpoints do not
// contain the names of passive scalars, which are the user's.
struct StateField {
    std::string name;
    FieldGroup group;
    int first;
    std::string in_files;
};

template <class Device, class Real> class FlowFields {
  public:
    using Values = device::Buffer<Complex<Real>, typename Device::Memory>;

    explicit FlowFields(const FlowParts<Device, Real>& flow) : flow_(flow) {}

    std::vector<StateField> of_state() const {
        std::vector<StateField> fields;
        int first = 0;
        for (const FieldGroup& group : flow_.model().groups) {
            fields.push_back({group.name, group, first, group.name});
            first += group.components;
        }
        const std::vector<NamedScalar>& scalars = flow_.options.scalars;
        for (std::size_t s = 0; s < scalars.size(); ++s)
            fields.push_back({scalars[s].first, {"scalar", 1, false}, first++, "scalar" + std::to_string(s)});
        return fields;
    }
    StateField find(const std::string& name) const {
        const std::vector<StateField> fields = of_state();
        for (const StateField& field : fields)
            if (field.name == name) return field;
        throw Error("model " + flow_.options.model + " has no field \"" + name +
                    "\" to set; choose one of: " + listed(fields, ", ", &StateField::name) + ".");
    }
    int components_of(const std::string& name) const {
        for (const auto& [known, components] : flow_.shape.outputs)
            if (known == name) return components;
        const auto name_of = [](const auto& output) { return output.first; };
        throw Error("field \"" + name +
                    "\" is unknown; choose one of: " + listed(flow_.shape.outputs, ", ", name_of) + ".");
    }
    // The parities of a field of the state are those of the output of the same name.
    std::array<Parity, 3> parities_of(const std::string& name) const {
        for (const Output& output : flow_.model().outputs)
            if (name == output.name) return output.parities;
        return {};
    }

    Complex<Real>* data(const StateField& field) {
        return flow_.stepper.state() + field.first * flow_.stepper.modes();
    }
    FieldView<Real> state() { return {flow_.stepper.state(), flow_.stepper.modes()}; }
    FieldModes<Real> modes_of(const StateField& field) {
        return {data(field), flow_.stepper.modes(), field.group.components, parities_of(field.name)};
    }
    // A field of the state itself; an output is computed from the state in the scratch register, or in
    // `beside` if it has more components than the state, or where a step is under way.
    FieldModes<Real> modes_of(const std::string& name, Values& beside) {
        for (const StateField& field : of_state())
            if (field.name == name) return modes_of(field);
        const int components = components_of(name);
        const std::int64_t modes = flow_.stepper.modes();
        int which = 0;
        for (const Output& output : flow_.model().outputs) {
            if (name != output.name) {
                ++which;
                continue;
            }
            const bool is_beside = components > flow_.model().fields || flow_.stepper.is_stepping();
            if (is_beside) beside = room_for(components);
            Complex<Real>* const made = is_beside ? beside.data() : flow_.stepper.scratch();
            flow_.equation.derive(flow_.modes(), flow_.stepper.state(), made, which, components);
            return {made, modes, components, parities_of(name)};
        }
        throw Error("field \"" + name + "\" is declared by no output of the model.");
    }
    Values room_for(int components) const {
        return Values(static_cast<std::size_t>(components * flow_.stepper.modes()),
                      flow_.trip.device().executors());
    }

    // The state of some models without a velocity may be set from a velocity.
    bool derived_from_velocity(const std::string& field) const {
        return flow_.model().set_from_velocity && field == "velocity";
    }
    void set_from_velocity(const Complex<Real>* u) {
        flow_.equation.take_velocity(flow_.modes(), u, flow_.stepper.state());
        flow_.trip.device().finish();
    }

    // The state as programs see it.
    StateOfFlow<Real> for_programs() {
        std::vector<Parity> parities;
        for (const StateField& field : of_state())
            for (int v = 0; v < field.group.components; ++v)
                parities.push_back(parities_of(field.name)[static_cast<std::size_t>(v)]);
        return {flow_.stepper.state(), flow_.stepper.modes(), std::move(parities)};
    }

  private:
    FlowParts<Device, Real> flow_;
};

} // namespace whorl

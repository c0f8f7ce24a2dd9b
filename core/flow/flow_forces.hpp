// The sources of a flow at work (steppers/forces.hpp), by their numbers in Options::forcing.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "fields/passes.hpp"
#include "flow/flow_fields.hpp"
#include "forcing/registry.hpp"

namespace whorl {

// Adds a multiple of a field, without its mean or with it.
template <class Real> struct AddTimes {
    Real factor;
    const Complex<Real>* from;
    Complex<Real>* to;
    std::int64_t modes;
    int components;
    bool with_mean;

    WHORL_INLINE void operator()(Mode<Real> mode) const {
        if (!with_mean && square(mode.k) == Real(0)) return;
        for (int v = 0; v < components; ++v) {
            Complex<Real>& at = to[v * modes + mode.index];
            at = at + factor * from[v * modes + mode.index];
        }
    }
};

// Takes the modes of the force on a field to the points and back. Throws Error where they were not those of a
// real field, to rounding. Collective.
template <class Device, class Real>
void make_real(RoundTrip<Device, Real>& trip, const ModeSet<Device, Real>& set, const FieldModes<Real>& force,
               const std::string& field) {
    const auto energy = [&] {
        const auto by_shell =
            energy_spectrum(set, FieldView<Real>{force.data, force.modes}, force.components);
        return std::accumulate(by_shell.begin(), by_shell.end(), 0.0);
    };
    constexpr double rounding = sizeof(Real) == sizeof(double) ? 1e-10 : 1e-5;
    const double given = energy();
    transform_pair(trip, force);
    const double lost = std::abs(given - energy());
    WHORL_REQUIRE(lost <= rounding * given,
                  "the modes of the force on the " + field +
                      " are those of no real field: " + shown(lost / given) +
                      " of their energy is in modes that are not the conjugates of their opposites (kx = 0), "
                      "or not real, or imaginary, where the field is a cosine, or sine, between walls.");
}

// The state of the sources that a restart needs: the work so far, the values that a multistep scheme
// remembers (WorkOfSource), and the source's own state. Names are "label.number.name", with the number among
// the sources of this label.
template <class Forces> std::string place_of_source(Forces& forces, std::size_t n) {
    const std::string label = forces.source(n).name();
    std::size_t before = 0;
    for (std::size_t other = 0; other < n; ++other) before += forces.source(other).name() == label ? 1 : 0;
    return label + "." + std::to_string(before) + ".";
}

template <class Forces> std::map<std::string, double> saved_sources(Forces& forces) {
    std::map<std::string, double> saved;
    for (std::size_t n = 0; n < forces.count(); ++n) {
        const std::string of = place_of_source(forces, n);
        saved[of + "power"] = forces.work(n).power;
        saved[of + "work"] = forces.work(n).total;
        for (std::size_t j = 1; j < Stage::registers; ++j) {
            saved[of + "earlier_power" + std::to_string(j)] = forces.work(n).registers[j];
            saved[of + "earlier_exponent" + std::to_string(j)] = forces.work(n).growth.exponents[j];
        }
        for (const auto& [name, value] : forces.source(n).save()) saved[of + "state." + name] = value;
    }
    return saved;
}

template <class Forces> void restore_sources(Forces& forces, const std::map<std::string, double>& saved) {
    for (std::size_t n = 0; n < forces.count(); ++n) {
        const std::string of = place_of_source(forces, n), state = of + "state.";
        const auto value = [&](const std::string& name) {
            const auto found = saved.find(of + name);
            return found == saved.end() ? 0.0 : found->second;
        };
        WorkOfSource& work = forces.work(n);
        work.power = value("power");
        work.total = value("work");
        for (std::size_t j = 1; j < Stage::registers; ++j) {
            work.registers[j] = value("earlier_power" + std::to_string(j));
            work.growth.exponents[j] = value("earlier_exponent" + std::to_string(j));
        }
        std::map<std::string, double> own;
        for (const auto& [name, kept] : saved)
            if (name.starts_with(state)) own[name.substr(state.size())] = kept;
        forces.source(n).restore(own);
    }
}

template <class Device, class Real> class ForcesOfFlow final : public FlowForces {
    using Memory = typename Device::Memory;
    using Values = typename FlowFields<Device, Real>::Values;

  public:
    ForcesOfFlow(const FlowParts<Device, Real>& flow, FlowFields<Device, Real>& fields)
        : flow_(flow), fields_(fields), forces_(flow.stepper.forces()) {}

    void add(const forcing::SourceOptions& source) {
        const ForcedField of = forced_field(source.field);
        const forcing::Surroundings around{flow_.options.box(), flow_.truncation, flow_.trip.table(),
                                           of.field.components, of.solenoidal,    of.plane,
                                           of.parities};
        forces_.add(forcing::make_source(source, around), of.field);
    }

    double speed(double dt) const override { return forces_.speed(dt); }
    void begin(double time) override {
        flow_.stepper.begin(time);
        forces_.begin(flow_.stepper.state(), time);
    }
    void set(std::size_t number, const Callback& fill) override {
        const ForcedField of = forced_field(flow_.options.forcing.at(number).field);
        Values made = fields_.room_for(of.field.components);
        write_points(flow_.trip, of.modes_in(made, flow_.stepper), of.solenoidal,
                     BlockCallback<Real>([&](const PhysicalBlock& block, Real* values) {
                         fill(block, of.field.components, values);
                     }));
        give(number, made);
    }
    void set_modes(std::size_t number, const void* given) override {
        const std::string name = flow_.options.forcing.at(number).field;
        const ForcedField of = forced_field(name);
        Values made = fields_.room_for(of.field.components);
        flow_.trip.device().finish();
        Memory::from_host(made.data(), given, made.bytes());
        if (of.solenoidal)
            each_mode(flow_.modes(),
                      MakeSolenoidal<Real>{made.data(), flow_.stepper.modes(), of.field.components});
        make_real(flow_.trip, flow_.modes(), of.modes_in(made, flow_.stepper), name);
        give(number, made);
    }
    void set_factor(std::size_t number, double factor) override { forces_.source(number).set_factor(factor); }
    void call(std::size_t number, std::function<void(double)> function) override {
        forces_.call(number, std::move(function));
    }
    double wavenumber(std::size_t number) override { return forces_.wavenumber(number); }
    void set_factor_in_time(std::size_t number, std::function<double(double)> factor) override {
        forces_.set_factor_in_time(number, std::move(factor));
    }
    std::vector<std::pair<double, double>> work() override {
        std::vector<std::pair<double, double>> all;
        for (std::size_t n = 0; n < forces_.count(); ++n)
            all.emplace_back(forces_.work(n).power, forces_.work(n).total);
        return all;
    }
    std::vector<std::vector<double>> power() override {
        std::vector<std::vector<double>> all;
        for (std::size_t n = 0; n < forces_.count(); ++n) all.push_back(power_by_shell(n));
        return all;
    }
    std::map<std::string, double> save() override { return saved_sources(forces_); }
    void restore(const std::map<std::string, double>& saved) override { restore_sources(forces_, saved); }

    // Notes the length of the last step, of which the power is a mean.
    void end_step(double dt) { last_dt_ = dt; }

    // The sum of all sources on a field at `time`, which is that of the state, as a field for programs.
    // Functions of sources are called, within a step once for all callers in the same stage. Collective.
    ForceOfFlow<Device, Real> at_time(const std::string& name, double time) {
        const ForcedField of = forced_field(name);
        flow_.stepper.require_state_of_time("a force is measured");
        Values made = fields_.room_for(of.field.components);
        if (!flow_.stepper.is_stepping()) forces_.ask_anew();
        for (std::size_t n = 0; n < forces_.count(); ++n) {
            if (forces_.source(n).field() != name) continue;
            const double gain = forces_.add_present(n, flow_.stepper.state(), time, made.data());
            if (!forces_.source(n).everywhere()) continue;
            Values beside;
            const FieldModes<Real> field = fields_.modes_of(name, beside);
            each_mode(flow_.modes(),
                      AddTimes<Real>{static_cast<Real>(gain), field.data, made.data(), field.modes,
                                     of.field.components, flow_.model().mean_grows});
            flow_.trip.device().finish(); // before the buffer is released
        }
        flow_.trip.device().finish();
        return {std::move(made), {of.parities.begin(), of.parities.begin() + of.field.components}};
    }

  private:
    // The field on which a source acts. A velocity that is not in the state is reached by way of its output.
    struct ForcedField {
        kernels::ForcedField field;
        bool solenoidal, plane;
        std::array<Parity, 3> parities;

        FieldModes<Real> modes_in(Values& made, const Stepper<Device, Real>& stepper) const {
            return {made.data(), stepper.modes(), field.components, parities};
        }
    };
    ForcedField forced_field(const std::string& name) const {
        const Declaration& model = flow_.model();
        if (!fields_.derived_from_velocity(name)) {
            const StateField of = fields_.find(name);
            const kernels::ForcedField field{of.first, of.group.components, -1, speed_of(of)};
            return {field, of.group.solenoidal, false, fields_.parities_of(name)};
        }
        int output = 0;
        while (model.outputs[static_cast<std::size_t>(output)].name != name) ++output;
        return {{0, 3, output, 1.0}, true, true, fields_.parities_of(name)};
    }
    // The speed that belongs to a field of size 1: for a velocity 1, for a vorticity that at its largest
    // scale, otherwise 0.
    double speed_of(const StateField& of) const {
        if (of.group.solenoidal) return 1.0;
        const bool turns = flow_.model().set_from_velocity && of.first < flow_.model().fields;
        return turns ? 1.0 / flow_.options.box().smallest_wavenumber() : 0.0;
    }
    void give(std::size_t number, const Values& made) {
        std::vector<Complex<Real>> values(made.size());
        flow_.trip.device().finish();
        Memory::to_host(values.data(), made.data(), made.bytes());
        forces_.give(number, values, [&] { // at all modes of the rank, also the mean
            return forcing::modes_of(forcing::Band::everything(), flow_.options.box(), flow_.truncation,
                                     flow_.trip.table());
        });
    }
    // The power of a source by shell. For a source on all modes it follows from the field's spectrum.
    std::vector<double> power_by_shell(std::size_t number) {
        if (!forces_.source(number).everywhere()) return forces_.power_by_shell(number, last_dt_);
        Values beside;
        const FieldModes<Real> field = fields_.modes_of(forces_.source(number).field(), beside);
        auto spectrum =
            energy_spectrum(flow_.modes(), FieldView<Real>{field.data, field.modes}, field.components);
        if (!flow_.model().mean_grows) spectrum[0] = 0.0;
        const double energy = std::accumulate(spectrum.begin(), spectrum.end(), 0.0);
        const double rate = energy > 0.0 ? forces_.source(number).gain(energy) : 0.0;
        for (double& of_shell : spectrum) of_shell *= 2.0 * rate;
        return spectrum;
    }

    FlowParts<Device, Real> flow_;
    FlowFields<Device, Real>& fields_;
    Forces<Device, Real>& forces_;
    double last_dt_ = 0.0;
};

} // namespace whorl

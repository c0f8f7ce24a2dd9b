// The functions of a model that are compiled only for it, on a device and in a precision.
#pragma once

#include <string>

#include "base/error.hpp"
#include "measure/state.hpp"
#include "roundtrip/run.hpp"
#include "steppers/equation.hpp"
#include "steppers/tendency.hpp"

namespace whorl {

template <class Model, class Device, class Real> class EquationOf final : public Equation<Device, Real> {
    using Pass = Tendency<Model, Device, Real>;

  public:
    explicit EquationOf(const Model& model)
        : Equation<Device, Real>(declaration_of<Model>()), model_(model) {}

    double coupling_norm(Wavenumber<double> k) const override { return model_.coupling_norm(k); }

    std::array<double, 2> run(RoundTrip<Device, Real>& trip, const TendencyData<Real>& data) const override {
        Pass pass(model_, data);
        return trip.run(pass);
    }

    void add_force(Device& device, const TendencyData<Real>& data,
                   const kernels::AddedForce<Real>& force) const override {
        const Pass pass(model_, data);
        const auto add = [&](const auto& update, const kernels::AddedForce<Real>& own) {
            kernels::over(device, kernels::AddForce<std::decay_t<decltype(update)>, Real>{update, own},
                          own.on.count);
        };
        if (force.field.output >= 0 || force.field.first < Model::fields)
            return pass.with_store([&](const auto& update) { add(update, force); });
        if constexpr (HasVelocity<Model>) {
            kernels::AddedForce<Real> of_scalar = force;
            of_scalar.field.first = 0;
            pass.part(force.field.first - Model::fields).with_store([&](const auto& update) {
                add(update, of_scalar);
            });
        } else {
            throw Error("a force on field " + std::to_string(force.field.first) + " is wrong: there are " +
                        std::to_string(Model::fields) + ".");
        }
    }
    void gather_output(Device& device, const kernels::GatherForced<Real>& of) const override {
        kernels::over(device, kernels::GatherOutput<Model, Real>{model_, of}, of.on.count);
    }
    double energy_of_output(Device& device, const kernels::RowsOfField<Real>& of) const override {
        return device.reduce(of.rows, 1, 0, kernels::EnergyOfOutput<Model, Real>{model_, of})[0];
    }
    int summed_from(int f) const override {
        return f < Model::fields ? Update<Model, Real, bool>::summed_from(f) : 1;
    }

    void derive(const ModeSet<Device, Real>& set, const Complex<Real>* state, Complex<Real>* made, int which,
                int components) const override {
        each_mode(set, Derive<Model, Real>{model_, state, made, set.table.modes(), which, components});
    }
    void take_velocity(const ModeSet<Device, Real>& set, const Complex<Real>* u,
                       Complex<Real>* state) const override {
        if constexpr (SetFromVelocity<Model>)
            each_mode(set, TakeVelocity<Model, Real>{model_, u, state, set.table.modes()});
        else
            throw Error("this model's state does not follow from a velocity.");
    }

    std::vector<double> measures(const ModeSet<Device, Real>& set,
                                 const FieldView<Real>& state) const override {
        return model_measures(set, state, model_);
    }
    std::vector<double> spectrum(const ModeSet<Device, Real>& set, const FieldView<Real>& state,
                                 int which) const override {
        return model_spectrum(set, state, model_, which);
    }
    std::vector<double> scalar(const ModeSet<Device, Real>& set, const FieldView<Real>& state, int number,
                               const std::array<double, 4>& constants) const override {
        if constexpr (HasVelocity<Model>)
            return measures_of_scalar(set, state, carrier_of<Model, Real>(model_), Model::fields + number,
                                      constants);
        else
            throw Error("this model carries no passive scalars.");
    }
    std::optional<WaveConstants> wave_function() const override {
        if constexpr (IsWaveFunction<Model>)
            return WaveConstants{model_.alpha, model_.beta, model_.rho0};
        else
            return std::nullopt;
    }

  private:
    Model model_;
};

} // namespace whorl

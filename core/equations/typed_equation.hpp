// Typed equations on a device and in a precision: the counterpart of EquationOf (steppers/equation_of.hpp),
// made from a plan.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "equations/clock.hpp"
#include "equations/inner_fields.hpp"
#include "equations/typed_on_streams.hpp"
#include "equations/typed_tendency.hpp"
#include "measure/state.hpp"
#include "roundtrip/run.hpp"
#include "steppers/equation.hpp"

namespace whorl::equations {

// The measures of a mode, weighted: of each field 1/2 |f|^2, then of each field 1/2 k^2 |f|^2.
template <class Real> struct AddFieldMeasures {
    FieldView<Real> state;
    int fields = 0;
    int components[most_components] = {}; // of each field

    AddFieldMeasures(const FieldView<Real>& of, const std::vector<Field>& all) : state(of) {
        for (const Field& field : all) components[fields++] = field.components;
    }
    WHORL_INLINE void operator()(Mode<Real> mode, double* values) const {
        const double k2 = square(widened(mode.k)), half = 0.5 * static_cast<double>(mode.weight);
        int component = 0;
        for (int f = 0; f < fields; ++f) {
            double sum = 0.0;
            for (int c = 0; c < components[f]; ++c) {
                const Complex<double> a = state(component++, mode);
                sum += dot(a, a);
            }
            values[f] += half * sum;
            values[fields + f] += half * k2 * sum;
        }
    }
};

// Adds a force to the registers that a stage has stored: of a row of one mode on a CPU (TypedUpdate), of a
// mode on a GPU (TypedModeUpdate).
template <class Real> struct AddToMode {
    TypedModeUpdate<Real> update;
    kernels::AddedForce<Real> of;

    WHORL_ANYWHERE void operator()(std::int64_t i) const {
        Complex<Real> da[most_components];
        for (int c = 0; c < most_components; ++c) da[c] = {0, 0};
        for (int c = 0; c < of.field.components; ++c)
            da[of.field.first + c] = of.scale * of.force[c * of.on.count + i];
        update.add(of.on.k[i], of.on.index[i], da, of.shares);
    }
};
template <class Device, class Real> struct AddToRow {
    const TypedUpdate<Device, Real>& update;
    const kernels::AddedForce<Real>& of;

    void operator()(std::int64_t i) const {
        Complex<Real> da[most_components] = {};
        for (int c = 0; c < of.field.components; ++c)
            da[of.field.first + c] = of.scale * of.force[c * of.on.count + i];
        ModeRow<Real> row;
        row.kx = &of.on.k[i].x;
        row.ky = of.on.k[i].y;
        row.kz = of.on.k[i].z;
        row.from_zero = false;
        row.index = of.on.index[i];
        row.length = 1;
        update.add(row, da, of.shares);
    }
};

template <class Device, class Real> class TypedEquation final : public Equation<Device, Real> {
  public:
    // The products of inner fields are free of aliases by two grids where the stages are by `shifts`.
    TypedEquation(std::shared_ptr<const Plan> plan, const Box& box, bool shifts)
        : Equation<Device, Real>(declaration_of(*plan)), plan_(std::move(plan)), box_(box), shifts_(shifts),
          clock_(*plan_), inner_(*plan_) {}

    double coupling_norm(Wavenumber<double> k) const override;

    void prepare(RoundTrip<Device, Real>& trip, const exchange::Communicator& world) override {
        world_ = &world;
        inner_.allocate(trip.table().modes());
        tables_ = std::make_unique<Tables<Real>>(*plan_, trip.layout());
        if constexpr (Device::streams) {
            trip.device().use_kernels(plan_->code.kernels);
            copied_ = std::make_unique<Copied>(*tables_);
            inputs_ = std::make_unique<Inputs>(plan_->point.inputs, trip.layout());
        }
        measuring_ = prepared(trip.device(), box_, plan_->point);
        programs::Program alone = plan_->point;
        alone.results.resize(static_cast<std::size_t>(plan_->products()));
        alone_ = prepared(trip.device(), box_, alone);
        if (plan_->has_clock()) return;
        clock_.set({}, *alone_, *tables_); // the sources
        if constexpr (Device::streams) copied_->refresh();
    }
    std::int64_t bytes() const override { return inner_.bytes(); }
    std::array<double, 2> run(RoundTrip<Device, Real>& trip, const TendencyData<Real>& data) const override {
        if constexpr (Device::streams) {
            TypedOnStreams<Device, Real> pass = this->pass(trip, data);
            return trip.run(pass);
        } else {
            TypedTendency<Device, Real> pass = this->pass(trip, data);
            return trip.run(pass);
        }
    }

    void add_force(Device& device, const TendencyData<Real>& data,
                   const kernels::AddedForce<Real>& force) const override {
        if constexpr (Device::streams) {
            const TypedModeUpdate<Real> update(*tables_, copied_->get(), data);
            kernels::over(device, AddToMode<Real>{update, force}, force.on.count);
        } else {
            const TypedUpdate<Device, Real> update(*tables_, data, data.at_present());
            kernels::over(device, AddToRow<Device, Real>{update, force}, force.on.count);
        }
    }
    int summed_from(int f) const override {
        if (f >= plan_->components()) return 1;
        int first = 0;
        for (const Field& field : plan_->fields) {
            if (f < first + field.components) return first + field.components - f;
            first += field.components;
        }
        return 1;
    }

    // The outputs are the fields themselves, which are read from the state.
    void gather_output(Device&, const kernels::GatherForced<Real>&) const override { throw no_outputs(); }
    double energy_of_output(Device&, const kernels::RowsOfField<Real>&) const override { throw no_outputs(); }
    void derive(const ModeSet<Device, Real>&, const Complex<Real>*, Complex<Real>*, int, int) const override {
        throw no_outputs();
    }
    void take_velocity(const ModeSet<Device, Real>&, const Complex<Real>*, Complex<Real>*) const override {
        throw Error("the state of typed equations does not follow from a velocity.");
    }

    std::vector<double> measures(const ModeSet<Device, Real>& set,
                                 const FieldView<Real>& state) const override {
        return reduce_modes(set, static_cast<int>(plan_->measures.size()), 0,
                            AddFieldMeasures<Real>{state, plan_->fields});
    }
    std::vector<double> spectrum(const ModeSet<Device, Real>& set, const FieldView<Real>& state,
                                 int which) const override {
        int first = 0;
        for (int f = 0; f < which; ++f) first += plan_->fields[static_cast<std::size_t>(f)].components;
        return energy_spectrum(set, state.from(first),
                               plan_->fields[static_cast<std::size_t>(which)].components);
    }
    std::vector<double> scalar(const ModeSet<Device, Real>&, const FieldView<Real>&, int,
                               const std::array<double, 4>&) const override {
        throw Error("typed equations carry no passive scalars but those that are typed.");
    }
    std::optional<WaveConstants> wave_function() const override { return std::nullopt; }

  private:
    using Pass =
        std::conditional_t<Device::streams, TypedOnStreams<Device, Real>, TypedTendency<Device, Real>>;
    using Copied = CopiedTables<typename Device::Memory, Real>;
    using Inputs = programs::LinearInputs<typename Device::Memory, Real>;

    static auto prepared(const Device& device, const Box& box, const programs::Program& program) {
        return std::make_unique<programs::PreparedInterpreter<Device, Real>>(device, box, program);
    }
    static Error no_outputs() { return Error("typed equations have no outputs but their fields."); }
    Pass pass(RoundTrip<Device, Real>& trip, const TendencyData<Real>& data) const {
        auto& at_points = data.measures ? *measuring_ : *alone_;
        const std::vector<double> clock =
            plan_->has_clock() ? set_clock(trip, data, at_points) : std::vector<double>();
        if (!plan_->rounds.empty()) inner_.make(trip, *world_, box_, data, clock, shifts_);
        programs::Interpreter<Real> interpreter = at_points.get();
        interpreter.positions = at_points.positions(box_, trip.shift());
        if constexpr (Device::streams)
            return {data,           *tables_,    inputs_of(data).on_host(),
                    copied_->get(), interpreter, at_points.results()};
        else
            return {data, *tables_, interpreter, at_points.results(), inner_.data(), trip.device()};
    }
    std::vector<double> set_clock(RoundTrip<Device, Real>& trip, const TendencyData<Real>& data,
                                  programs::PreparedInterpreter<Device, Real>& at_points) const {
        const std::vector<double> results =
            clock_.at(data.time, trip, *world_, box_, data.registers[0], data.modes);
        if constexpr (Device::streams) trip.device().finish(); // the stage before may still read the tables
        clock_.set(results, at_points, *tables_);
        if constexpr (Device::streams) copied_->refresh();
        return results;
    }
    // The inputs of the state, which lies at one place in all stages.
    const Inputs& inputs_of(const TendencyData<Real>& data) const {
        inputs_->refer_to(inner_.named(data));
        return *inputs_;
    }

    std::shared_ptr<const Plan> plan_;
    Box box_;
    bool shifts_;
    Clock clock_;
    mutable InnerFields<Device, Real> inner_; // those of the present stage
    const exchange::Communicator* world_ = nullptr;
    std::unique_ptr<Tables<Real>> tables_;
    std::unique_ptr<Copied> copied_; // on a GPU, like the inputs
    std::unique_ptr<Inputs> inputs_;
    std::unique_ptr<programs::PreparedInterpreter<Device, Real>> measuring_,
        alone_; // with and without the bound on a step
};

// A bound on the linear terms for |k_i| <= largest: the largest sum of a row. Where a term falls with k, the
// smallest wavenumber of the box bounds it.
template <class Device, class Real>
double TypedEquation<Device, Real>::coupling_norm(Wavenumber<double> largest) const {
    const double most = std::sqrt(square(largest)), least = box_.smallest_wavenumber();
    double norm = 0.0;
    for (const auto& sum : plan_->coupling) {
        double of_row = 0.0;
        for (const programs::Term& term : sum) {
            const auto [a, b, c] = term.derivatives;
            const double degree = a + b + c + 2.0 * term.power + term.exponent;
            const bool plain = term.power >= 0 && term.exponent >= 0.0;
            const double of_axes = std::pow(largest.x, a) * std::pow(largest.y, b) * std::pow(largest.z, c);
            of_row +=
                std::abs(term.factor) * (plain ? of_axes * std::pow(most, 2.0 * term.power + term.exponent)
                                               : std::pow(degree >= 0.0 ? most : least, degree));
        }
        norm = std::max(norm, of_row);
    }
    return norm;
}

} // namespace whorl::equations

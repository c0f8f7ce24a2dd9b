// Typed equations on a device of threads and in a precision: the counterpart of EquationOf
// (steppers/equation_of.hpp), made from a plan.
#pragma once

#include <memory>
#include <utility>

#include "equations/clock.hpp"
#include "equations/typed_tendency.hpp"
#include "measure/state.hpp"
#include "roundtrip/run.hpp"
#include "steppers/equation.hpp"

namespace whorl::equations {

// The measures of a mode, weighted: of each field 1/2 |f|^2, then of each field 1/2 k^2 |f|^2.
template <class Real> struct AddFieldMeasures {
    FieldView<Real> state;
    const std::vector<Field>& fields;

    void operator()(Mode<Real> mode, double* values) const {
        const double k2 = square(widened(mode.k)), half = 0.5 * static_cast<double>(mode.weight);
        int component = 0;
        for (std::size_t f = 0; f < fields.size(); ++f) {
            double sum = 0.0;
            for (int c = 0; c < fields[f].components; ++c) {
                const Complex<double> a = state(component++, mode);
                sum += dot(a, a);
            }
            values[f] += half * sum;
            values[fields.size() + f] += half * k2 * sum;
        }
    }
};

// Adds a force to the registers that a stage has stored (TypedUpdate::add).
template <class Device, class Real> struct AddTypedForce {
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
    TypedEquation(std::shared_ptr<const Plan> plan, const Box& box)
        : Equation<Device, Real>(declaration_of(*plan)), plan_(std::move(plan)), box_(box), clock_(*plan_) {}

    double coupling_norm(Wavenumber<double> k) const override;

    void prepare(RoundTrip<Device, Real>& trip, const exchange::Communicator& world) override {
        world_ = &world;
        tables_ = std::make_unique<Tables<Real>>(*plan_, trip.layout());
        measuring_ = prepared(trip.device(), box_, plan_->point);
        programs::Program alone = plan_->point;
        alone.results.resize(static_cast<std::size_t>(plan_->products()));
        alone_ = prepared(trip.device(), box_, alone);
        if (!plan_->has_clock()) clock_.set({}, *alone_, *tables_); // the sources
    }
    std::array<double, 2> run(RoundTrip<Device, Real>& trip, const TendencyData<Real>& data) const override {
        TypedTendency<Device, Real> pass = this->pass(trip, data);
        return trip.run(pass);
    }

    void add_force(Device& device, const TendencyData<Real>& data,
                   const kernels::AddedForce<Real>& force) const override {
        const TypedUpdate<Device, Real> update(*tables_, data, data.at_present());
        kernels::over(device, AddTypedForce<Device, Real>{update, force}, force.on.count);
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
    static auto prepared(const Device& device, const Box& box, const programs::Program& program) {
        return std::make_unique<programs::PreparedInterpreter<Device, Real>>(device, box, program);
    }
    static Error no_outputs() { return Error("typed equations have no outputs but their fields."); }
    TypedTendency<Device, Real> pass(RoundTrip<Device, Real>& trip, const TendencyData<Real>& data) const {
        auto& at_points = data.measures ? *measuring_ : *alone_;
        if (plan_->has_clock())
            clock_.set(clock_.at(data.time, trip, *world_, data.registers[0], data.modes), at_points,
                       *tables_);
        programs::Interpreter<Real> interpreter = at_points.get();
        interpreter.positions = at_points.positions(box_, trip.shift());
        return {data, *tables_, interpreter, at_points.results(), trip.device()};
    }

    std::shared_ptr<const Plan> plan_;
    Box box_;
    Clock clock_;
    const exchange::Communicator* world_ = nullptr;
    std::unique_ptr<Tables<Real>> tables_;
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

// Advances a model in time: owns the registers, runs one round trip a stage (two for phase-shift-exact).
#pragma once

#include "roundtrip/run.hpp"
#include "steppers/tendency.hpp"

namespace whorl {

struct StepReport {
    double dt;
    double courant;          // max(|u|/dx + |v|/dy + |w|/dz) dt of the state the step began with
    double maximum_velocity; // of that state; NaN when it was not finite
};

// Offset of a grid, as a fraction of a cell, for the steps 2 pair and 2 pair + 1: three uniform numbers drawn
// from (seed, pair).
std::array<double, 3> shift_offset(std::uint64_t seed, std::int64_t pair);

template <class Model, class Real> class Stepper {
  public:
    Stepper(RoundTrip<Real>& trip, const Box& box, const Model& model, const Scheme& scheme, Dealias dealias,
            std::uint64_t shift_seed)
        : trip_(trip), model_(model), scheme_(scheme), dealias_(dealias), shift_seed_(shift_seed),
          modes_(trip.table().modes()),
          registers_(static_cast<std::size_t>(register_count() * Model::fields * modes_)),
          flat_(box.points[2] == 1) {
        for (int axis = 0; axis < 3; ++axis)
            inverse_spacing_[static_cast<std::size_t>(axis)] =
                flat_ && axis == 2 ? 0.0 : 1.0 / box.spacing(axis);
    }

    Fields<Real> state() { return field_set(0); }
    // Free between steps; evaluate() leaves its result here.
    Fields<Real> scratch() { return field_set(1); }
    std::int64_t modes() const { return modes_; }
    std::int64_t bytes() const { return static_cast<std::int64_t>(registers_.bytes()); }
    const Model& model() const { return model_; }

    StepReport step(TimeStep time_step, std::int64_t step_number) {
        std::array<double, 2> maxima{};
        for (std::size_t s = 0; s < scheme_.stages.size(); ++s) {
            Tendency<Model, Real> pass = tendency(scheme_.stages[s], time_step);
            pass.measures = s == 0;
            if (dealias_ == Dealias::phase_shift) trip_.shift(grid_of_stage(s, step_number));
            const std::array<double, 2> of_stage = run_stage(pass);
            if (s == 0) maxima = of_stage;
        }
        return {time_step.dt, maxima[0] * time_step.dt, std::sqrt(maxima[1])};
    }

    // The nonlinear tendency of the state, without decay, on one of grids() grids, into scratch(). With phase
    // shifts the second is half a cell from the first: the mean over both is free of aliases.
    int grids() const {
        return dealias_ == Dealias::phase_shift || dealias_ == Dealias::phase_shift_exact ? 2 : 1;
    }
    void evaluate(int grid) {
        TimeStep unit{1.0, 0.0, 0.0};
        Tendency<Model, Real> pass = tendency(evaluation(1.0), unit);
        trip_.shift(moved({0.0, 0.0, 0.0}, grid == 1));
        trip_.run(pass);
        trip_.shift({0.0, 0.0, 0.0});
    }

  private:
    int register_count() const {
        return scheme_.registers + (dealias_ == Dealias::phase_shift_exact ? 1 : 0);
    }
    Fields<Real> field_set(int i) {
        return registers_.data() + static_cast<std::int64_t>(i) * Model::fields * modes_;
    }
    Fields<Real> extra() { return field_set(scheme_.registers); }

    static Stage evaluation(double share) {
        Stage stage;
        stage.v[1] = share;
        return stage;
    }

    Tendency<Model, Real> tendency(const Stage& stage, TimeStep& time_step) {
        Tendency<Model, Real> pass;
        pass.model = model_;
        pass.modes = modes_;
        pass.stage = stage;
        pass.step = &time_step;
        for (int i = 0; i < scheme_.registers; ++i)
            pass.registers[static_cast<std::size_t>(i)] = field_set(i);
        pass.inverse_dx = static_cast<Real>(inverse_spacing_[0]);
        pass.inverse_dy = static_cast<Real>(inverse_spacing_[1]);
        pass.inverse_dz = static_cast<Real>(inverse_spacing_[2]);
        return pass;
    }

    // Rogallo's shifts: the grids of two stages in turn differ by half a cell along every axis, so the single
    // aliases they leave have opposite signs. The second step of a pair takes the two grids the other way
    // round: whatever the weights of a scheme's stages, over the pair each grid has half of them.
    std::array<double, 3> grid_of_stage(std::size_t s, std::int64_t step_number) const {
        const bool second = (static_cast<std::int64_t>(s) + step_number) % 2 == 1;
        return moved(shift_offset(shift_seed_, step_number / 2), second);
    }

    std::array<double, 2> run_stage(Tendency<Model, Real>& pass) {
        return dealias_ == Dealias::phase_shift_exact ? run_on_both_grids(pass) : trip_.run(pass);
    }

    // Half the tendency of each grid: the first into extra(), the second added as the stage is stored.
    std::array<double, 2> run_on_both_grids(Tendency<Model, Real>& pass) {
        TimeStep unit{1.0, 0.0, 0.0};
        Tendency<Model, Real> first = tendency(evaluation(0.5), unit);
        first.registers[1] = extra();
        first.measures = pass.measures;
        trip_.shift({0.0, 0.0, 0.0});
        const auto maxima = trip_.run(first);
        pass.begin_store(maxima);
        pass.measures = false;
        pass.adds = true;
        pass.extra = extra();
        pass.share = 0.5;
        trip_.shift(moved({0.0, 0.0, 0.0}, true));
        trip_.run(pass);
        trip_.shift({0.0, 0.0, 0.0});
        return maxima;
    }

    std::array<double, 3> moved(const std::array<double, 3>& offset, bool half) const {
        const double cell = half ? 0.5 : 0.0;
        return {offset[0] + cell, offset[1] + cell, flat_ ? 0.0 : offset[2] + cell};
    }

    RoundTrip<Real>& trip_;
    Model model_;
    const Scheme& scheme_;
    Dealias dealias_;
    std::uint64_t shift_seed_;
    std::int64_t modes_;
    device::Buffer<Complex<Real>> registers_;
    bool flat_;
    std::array<double, 3> inverse_spacing_{};
};

} // namespace whorl

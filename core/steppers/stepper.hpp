// Advances a model in time: owns the registers, runs one round trip a stage (two for phase-shift-exact), and
// adds the forces.
#pragma once

#include <cmath>
#include <utility>

#include "base/philox.hpp"
#include "steppers/companion.hpp"
#include "steppers/first_step.hpp"
#include "steppers/forces.hpp"

namespace whorl {

struct StepperOptions {
    Scheme scheme;
    std::uint64_t shift_seed = 0;
    bool exact = false;                         // linear coupling as part of the integrating factor
    std::vector<std::array<double, 4>> scalars; // diffusivity and mean gradient of each passive scalar
    int shells = 1;                             // of spectra
};

// Offset of a grid, as a fraction of a cell, for the steps 2 pair and 2 pair + 1: three uniform numbers drawn
// from (seed, pair).
inline std::array<double, 3> shift_offset(std::uint64_t seed, std::int64_t pair) {
    const auto [low, high] = halves(static_cast<std::uint64_t>(pair));
    const PhiloxBlock words = philox({low, high, 0, 0}, halves(seed));
    return {uniform(words[0]), uniform(words[1]), uniform(words[2])};
}

// The grids on which stages find their products, as offsets in cells.
class ShiftedGrids {
  public:
    ShiftedGrids(const Dealiasing& dealiasing, const Box& box, std::uint64_t seed)
        : dealiasing_(dealiasing), seed_(seed) {
        for (std::size_t axis = 0; axis < 3; ++axis) flat_[axis] = box.points[axis] == 1;
    }

    // The grids whose mean is free of aliases.
    int count() const { return dealiasing_.shifts ? 2 : 1; }
    bool both_in_a_stage() const { return dealiasing_.twice; }
    bool in_turn() const { return dealiasing_.shifts && !dealiasing_.twice; }
    // Rogallo's shifts: the grids of two stages in turn differ by half a cell along every axis, so the single
    // aliases they leave have opposite signs. The second step of a pair takes the two grids in reverse order:
    // whatever the weights of a scheme's stages, each grid has half of their sum over the pair.
    std::array<double, 3> of_stage(std::size_t s, std::int64_t step_number) const {
        const bool second = (static_cast<std::int64_t>(s) + step_number) % 2 == 1;
        return moved(shift_offset(seed_, step_number / 2), second);
    }
    std::array<double, 3> moved(const std::array<double, 3>& offset, bool half) const {
        std::array<double, 3> cells{};
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (!flat_[axis]) cells[axis] = offset[axis] + (half ? 0.5 : 0.0);
        return cells;
    }

  private:
    Dealiasing dealiasing_;
    std::array<bool, 3> flat_{};
    std::uint64_t seed_;
};

// The rates of advection and waves on a grid, from which the Courant number of a step follows.
struct GridRates {
    std::array<double, 3> inverse_spacing{};
    double coupling_norm = 0.0, waves = 0.0;
    double push = 0.0; // of advection by a root-mean-square speed of 1

    template <class Device, class Real>
    GridRates(const Box& box, const Truncation& truncation, const Equation<Device, Real>& equation) {
        std::array<double, 3> largest{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const int i = static_cast<int>(axis);
            inverse_spacing[axis] = box.points[axis] == 1 ? 0.0 : 1.0 / box.spacing(i);
            largest[axis] = truncation.extent(i) * box.unit(i);
        }
        // A peak of three times the root-mean-square speed, along all axes.
        push = 3.0 * std::hypot(inverse_spacing[0], inverse_spacing[1], inverse_spacing[2]);
        coupling_norm = equation.coupling_norm({largest[0], largest[1], largest[2]});
        // Waves that a scheme integrates explicitly count in the Courant number: the fastest on the grid with
        // their frequency, the fastest of the largest scales, which must last, with five times theirs. At a
        // Courant number of 0.9, rk4-gill takes 1/150 of the energy of the former per step and 1/60000 of
        // that of the latter per period.
        const auto unit = [&](int axis) {
            return box.points[static_cast<std::size_t>(axis)] > 1 ? box.unit(axis) : 0.0;
        };
        waves = std::max(coupling_norm, 5 * equation.coupling_norm({unit(0), unit(1), unit(2)}));
    }
};

template <class Device, class Real> class Stepper {
  public:
    Stepper(RoundTrip<Device, Real>& trip, const exchange::Communicator& world, const Box& box,
            const Truncation& truncation, Equation<Device, Real>& equation, const StepperOptions& options)
        : trip_(trip), equation_(equation), options_(options), scheme_(options_.scheme),
          history_(scheme_.earlier), grids_(truncation.dealiasing(), box, options_.shift_seed),
          rates_(box, truncation, equation), modes_(trip.table().modes()),
          fields_(equation.declaration().fields + static_cast<int>(options.scalars.size())),
          registers_(
              static_cast<std::size_t>(scheme_.all_registers(truncation.dealiasing()) * fields_ * modes_),
              trip.device().executors()),
          forces_({trip.device(), world, trip.exchanges().watchdog(), trip.modes(), trip.table().height(),
                   modes_, fields_, box.smallest_wavenumber(), options_.shells},
                  equation) {
        WHORL_REQUIRE(!(options_.exact && rates_.coupling_norm > 0.0 && scheme_.exponential()),
                      "time.scheme = \"" + scheme_.name +
                          "\" integrates decay alone, not flow.linear = \"exact\": give flow.linear = "
                          "\"explicit\", or another scheme.");
        equation.prepare(trip, world);
    }

    Fields<Real> state() { return field_set(0); }
    // The last register, where a scheme that estimates the error of a step has it after the step.
    Fields<Real> error() { return field_set(scheme_.registers() - 1); }
    // Free between steps; evaluate() writes its result here.
    Fields<Real> scratch() { return scheme_.earlier > 0 ? extra() : field_set(1); }
    // A function that is called for a force may read fields, but neither set them nor use the registers.
    bool is_stepping() const { return is_stepping_; }
    void require_between_steps(const char* what) const {
        WHORL_REQUIRE(!is_stepping_, std::string(what) +
                                         " while a step is under way: a function that gives a force may read "
                                         "fields, and do no more than that with the simulation.");
    }
    // The state is one of a time between steps and for companions before a stage.
    void require_state_of_time(const char* what) const {
        if (!serves_companions_) require_between_steps(what);
    }
    // Code that sets the state calls this. Throws Error within a step.
    void forget() {
        require_between_steps("the fields are set");
        history_.forget();
        forces_.forget();
    }
    // The time of the state, which begins here and advances with the steps.
    void begin(double time) { now_ = time; }
    // The earlier steps of a multistep scheme; earlier(j) is register j, that of the j-th step before.
    History& history() { return history_; }
    Fields<Real> earlier(int j) { return field_set(j); }
    std::int64_t modes() const { return modes_; }
    std::int64_t bytes() const { return static_cast<std::int64_t>(registers_.bytes()); }

    Forces<Device, Real>& forces() { return forces_; }
    const Forces<Device, Real>& forces() const { return forces_; }

    // It goes along with all steps to come, and outlives the stepper.
    void accompany(Companion<Real>& companion) {
        require_between_steps("particles are added");
        companions_.push_back(&companion);
    }

    // The longest step from a state if no step before it is known (FirstStep). Collective.
    double first_step(TimeStep time_step, std::int64_t step_number) {
        require_between_steps("a step is tried");
        const Within stepping(is_stepping_);
        const std::function<double(double)> push = [&](double dt) { return forces_.speed(dt) * rates_.push; };
        if (forces_.any()) time_step.push = &push;
        trip_.shift({0.0, 0.0, 0.0});
        return FirstStep<Device, Real>{
            trip_,   equation_, forces_,
            state(), scratch(), [&](const Stage& stage, TimeStep& of) { return tendency(stage, of); }}
            .find(time_step, step_number);
    }

    StepReport step(TimeStep time_step, std::int64_t step_number) {
        require_between_steps("a step is made");
        const Within stepping(is_stepping_);
        std::array<double, 2> maxima{};
        const std::function<double(double)> push = [&](double dt) { return forces_.speed(dt) * rates_.push; };
        if (forces_.any()) time_step.push = &push;
        // If the velocity limited the step before, forces that are expensive to call are not looked at ahead.
        const bool is_loose = time_step.rate_before * time_step.dt_before < 0.5 * time_step.courant;
        if (forces_.any() && time_step.courant > 0.0)
            time_step.dt_max =
                forces_.look_ahead(time_step.time, time_step.dt_max, time_step.dt_usual, is_loose);
        const double allowed = time_step.dt_max;
        double time = time_step.time;
        for (std::size_t s = 0; s < scheme_.stages.size(); ++s) {
            TendencyData<Real> pass = tendency(scheme_.stages[s], time_step);
            forces_.ask_anew();
            find_taps(s, time, step_number);
            pass.taps = &taps_;
            pass.time = time;
            pass.measures = s == 0;
            const std::array<double, 2> of_stage = run_forced(pass, s, time, step_number);
            if (s == 0) maxima = {pass.rate(of_stage[0]), of_stage[1]};
            if (std::isfinite(maxima[1]) && std::isfinite(time_step.dt))
                for (Companion<Real>* const companion : companions_)
                    companion->after_stage({stage_made(s, time_step.dt), time_step.dt, static_cast<int>(s),
                                            step_number, history_.steps()});
            if (history_.serves(time_step.dt)) break;
            time += scheme_.stages[s].advance * time_step.dt;
        }
        if (forces_.any() && std::isfinite(maxima[1]) && std::isfinite(time_step.dt))
            end_forces(time_step, step_number);
        history_.add(time_step.dt);
        now_ = time_step.time + time_step.dt;
        const double usual =
            time_step.dt < allowed ? time_step.dt : std::max(time_step.dt, time_step.dt_usual);
        return {time_step.dt, maxima[0] * time_step.dt, std::sqrt(maxima[1]), usual};
    }

    // Evaluates the tendency of the state, with linear coupling but without decay, on one of grids() grids,
    // into scratch(). With phase shifts the second grid is half a cell from the first: the mean over both is
    // free of aliases.
    int grids() const { return grids_.count(); }
    void evaluate(int grid) {
        require_between_steps("the tendency is evaluated");
        TimeStep unit{1.0, 0.0, 0.0, now_};
        TendencyData<Real> pass = evaluation(1.0, scratch(), unit);
        pass.exact = false;
        trip_.shift(grids_.moved({0.0, 0.0, 0.0}, grid == 1));
        equation_.run(trip_, pass);
        trip_.shift({0.0, 0.0, 0.0});
    }

  private:
    Fields<Real> field_set(int i) {
        return registers_.data() + static_cast<std::int64_t>(i) * fields_ * modes_;
    }
    Fields<Real> extra() { return field_set(scheme_.registers()); }

    // The pass that writes only `weight` times the tendency into `result`.
    TendencyData<Real> evaluation(double weight, Fields<Real> result, TimeStep& unit) {
        Stage stage;
        stage.v[1] = weight;
        stage.ends_step = true;
        TendencyData<Real> pass = tendency(stage, unit);
        pass.registers[1] = result;
        pass.history = nullptr;
        return pass;
    }

    TendencyData<Real> tendency(const Stage& stage, TimeStep& time_step) {
        TendencyData<Real> pass;
        pass.fields = fields_;
        pass.time = time_step.time;
        pass.modes = modes_;
        pass.stage = stage;
        pass.history = &history_;
        pass.step = &time_step;
        for (int i = 0; i < scheme_.registers(); ++i)
            pass.registers[static_cast<std::size_t>(i)] = field_set(i);
        pass.exact = options_.exact;
        pass.coupling_norm = rates_.coupling_norm;
        pass.wave_rate = rates_.waves;
        pass.scalars = &options_.scalars;
        for (std::size_t axis = 0; axis < 3; ++axis)
            pass.inverse_spacing[axis] = static_cast<Real>(rates_.inverse_spacing[axis]);
        return pass;
    }

    // Runs a stage and adds the forces of sources. If the state is not finite, dt is not chosen, and no force
    // is added.
    std::array<double, 2> run_forced(TendencyData<Real>& pass, std::size_t s, double time,
                                     std::int64_t step_number) {
        const auto run = [&] {
            if (grids_.in_turn()) trip_.shift(grids_.of_stage(s, step_number));
            return grids_.both_in_a_stage() ? run_on_both_grids(pass) : equation_.run(trip_, pass);
        };
        if (!forces_.any()) return run();
        forces_.before_stage(state(), time);
        if (s == 0 && pass.step->courant > 0.0)
            pass.step->dt_max = std::min(pass.step->dt_max, forces_.longest_step());
        const std::vector<Growth> growth = forces_.growth();
        pass.growth = growth.empty() ? nullptr : growth.data();
        pass.grows_alike = forces_.grows_alike();
        pass.energy = forces_.begin_energy();
        const std::array<double, 2> maxima = run();
        const double dt = pass.step->dt;
        if (s == 0 && !(std::isfinite(maxima[1]) && std::isfinite(dt))) return maxima;
        forces_.after_stage(pass, {stage_made(s, dt),
                                   static_cast<int>(s),
                                   scheme_.earlier > 0,
                                   time,
                                   {pass.step->time, dt, step_number}});
        return maxima;
    }
    // Finds the taps of companions that read the velocity from the right-hand side.
    void find_taps(std::size_t s, double time, std::int64_t step_number) {
        taps_.clear();
        if (companions_.empty()) return;
        const Within serving(serves_companions_);
        StageGrid grid;
        if (grids_.in_turn()) grid.shift = grids_.of_stage(s, step_number);
        if (equation_.declaration().has_velocity) grid.shown_rows = trip_.shown_rows();
        grid.shown_velocity = equation_.declaration().velocity_inputs;
        for (Companion<Real>* const companion : companions_)
            if (PointTap<Real>* const tap = companion->before_stage(grid, time)) taps_.push_back(tap);
    }
    // The stage of a step of dt.
    Stage stage_made(std::size_t s, double dt) const {
        return history_.serves(dt) ? history_.stage(dt) : scheme_.stages[s];
    }
    void end_forces(TimeStep& time_step, std::int64_t step_number) {
        forces_.end_step(tendency(scheme_.stages.back(), time_step), state(),
                         {time_step.time, time_step.dt, step_number}, scheme_.earlier > 0);
    }

    // Half the tendency of each grid: the first is written to extra(), the second added when the stage is
    // stored.
    std::array<double, 2> run_on_both_grids(TendencyData<Real>& pass) {
        TimeStep unit{1.0, 0.0, 0.0};
        TendencyData<Real> first = evaluation(0.5, extra(), unit);
        first.time = pass.time;
        first.measures = pass.measures;
        first.growth = pass.growth;
        first.grows_alike = pass.grows_alike;
        first.taps = std::exchange(pass.taps, nullptr);
        trip_.shift({0.0, 0.0, 0.0});
        const auto maxima = equation_.run(trip_, first);
        pass.begin_store(maxima);
        pass.measures = false;
        pass.adds = true;
        pass.extra = extra();
        pass.weight = 0.5;
        trip_.shift(grids_.moved({0.0, 0.0, 0.0}, true));
        equation_.run(trip_, pass);
        trip_.shift({0.0, 0.0, 0.0});
        return maxima;
    }

    RoundTrip<Device, Real>& trip_;
    const Equation<Device, Real>& equation_;
    StepperOptions options_;
    const Scheme& scheme_;
    History history_;
    ShiftedGrids grids_;
    GridRates rates_;
    std::int64_t modes_;
    int fields_;
    device::Buffer<Complex<Real>, typename Device::Memory> registers_;
    double now_ = 0.0;
    bool is_stepping_ = false, serves_companions_ = false;
    Forces<Device, Real> forces_;
    std::vector<Companion<Real>*> companions_;
    std::vector<PointTap<Real>*> taps_; // of the present stage
};

} // namespace whorl

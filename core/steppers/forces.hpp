// The sources of a run at work: the forces that they add to each stage, and the power they inject.
//
// Before a stage the field is copied on the forced modes, and after it the force is added to the registers
// (Update::add): the round trip and the models know nothing of it. The work of a source is one more equation,
// dW/dt = P(t, a), that the scheme advances with the fields, so that it has the order of the scheme. If a
// force is the same at all stages, a multistep scheme uses dt f once, since it cannot be extrapolated.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/buffer.hpp"
#include "exchange/watchdog.hpp"
#include "forcing/source.hpp"
#include "steppers/equation.hpp"

namespace whorl {

// The work of a source: the mean power of the last step, and the work since the beginning, in units of 1/2
// |field|^2. The registers are the powers that a multistep scheme remembers. The growth is that by a linear
// force on all modes.
struct WorkOfSource {
    double power = 0.0, total = 0.0;
    std::array<double, Stage::registers> registers{};
    Growth growth;
};

// A stage that has been stored: its number and time, and the step it belongs to.
struct StageOfForces {
    const Stage& stage;
    int number;
    bool multistep;
    double time;
    forcing::StepTime step;
};

// Sets a flag as long as it lives.
struct Within {
    bool& flag;
    explicit Within(bool& set) : flag(set) { flag = true; }
    ~Within() { flag = false; }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;
};

template <class Device, class Real> class Forces {
    using Memory = typename Device::Memory;
    template <class T> using Buffer = device::Buffer<T, Memory>;
    using Acts = forcing::Acts;

  public:
    struct Setting {
        Device& device;
        const exchange::Communicator& world;
        exchange::Watchdog& watchdog;
        ModeTables<Real> tables;
        int height; // ky of the tables
        std::int64_t modes;
        int fields; // of the state
        double smallest_wavenumber;
        int shells;
    };

    Forces(const Setting& setting, const Equation<Device, Real>& equation)
        : at_(setting), equation_(equation),
          energy_(setting.tables, setting.height, setting.modes, mean_grows()) {}

    bool any() const { return !sources_.empty(); }
    std::size_t count() const { return sources_.size(); }
    std::int64_t bytes() const;
    forcing::Source& source(std::size_t number) { return *sources_[number].source; }
    WorkOfSource& work(std::size_t number) { return sources_[number].work; }

    void add(std::unique_ptr<forcing::Source> source, kernels::ForcedField field);
    // Sets the values of a source that is given: all the rank's modes, one component after another. Those
    // that are negligible are left out, so that a field of few waves costs no more than a band.
    void give(std::size_t number, const std::vector<Complex<Real>>& values,
              const std::function<forcing::ForcedModes()>& all);
    // A function to call once with the time of each stage, so that it may set values again.
    void call(std::size_t number, std::function<void(double)> function) {
        sources_[number].function = std::move(function);
    }
    // Evaluates the forces that depend on the first state, `state`, which may be impossible: throws Error.
    void begin(const Complex<Real>* state, double time);
    // A factor of a source as a function of time, which is asked at other times than those of stages.
    void set_factor_in_time(std::size_t number, std::function<double(double)> factor) {
        sources_[number].factor = std::move(factor);
    }
    // Asks how large the sources are within a step of dt from this time on. Returns the longest step, up to
    // dt, within which they are near to linear in time. It is at least a fiftieth of dt, or of a usual step
    // (StepReport) where that is longer, so that a jump is passed.
    // Sources on all modes that cannot be asked cheaply are only if `all` is set, at the end of the step.
    double look_ahead(double time, double dt, double dt_usual, bool all);
    // The speed that all sources together may give the fluid within dt.
    double speed(double dt) const;
    // The longest step that resolves all sources, and the growth by them of the state before the present
    // stage.
    double longest_step() const;

    // Adds dt times the forces to a state that is no stage of a step, for a step on trial.
    void try_out(const TendencyData<Real>& data, const Complex<Real>* state, const forcing::StepTime& now);

    // The wavenumber on which a source acts: the largest of its band, of given values the root mean of k^2 by
    // their squares; 0 on all modes. Collective.
    double wavenumber(std::size_t number);

    // Whether a source multiplies the field.
    bool amplifies() const;
    // Called when the state is set from outside.
    void forget() { energy_.set_known(false); }

    // Makes functions be asked again: at the beginning of a stage, and between steps.
    void ask_anew() {
        for (RunningSource& of : sources_) of.is_asked = false;
    }
    // Work before and after a stage, and after the last one; `time` is that of the state.
    void before_stage(const Complex<Real>* state, double time);
    // The sums in which the stage puts the energy of the fields that it stores, if a source will ask for it.
    ColumnSums begin_energy();
    void after_stage(const TendencyData<Real>& data, const StageOfForces& now);
    void end_step(const TendencyData<Real>& data, const Complex<Real>* state, const forcing::StepTime& step,
                  bool multistep);
    // The linear forcing of each field of the state; empty where no source acts on all modes.
    std::vector<Growth> growth() const;
    // Whether all fields of the model have the same.
    bool grows_alike() const;

    // Adds a force as it is at `time`, of the present state, to [component][mode], all modes of the rank. For
    // a source on all modes it only returns f / a. Throws Error if the force has no value at a time between
    // steps. Collective.
    double add_present(std::size_t number, const Complex<Real>* state, double time, Complex<Real>* to);

    // The mean power of the last step, dt long, by shell, over all ranks; zero for a source on all modes.
    std::vector<double> power_by_shell(std::size_t number, double dt);

  private:
    struct RunningSource {
        std::unique_ptr<forcing::Source> source;
        kernels::ForcedField field;
        std::function<void(double)> function;
        std::function<double(double)> factor;
        double ahead = 0.0;    // the speed that it may give the fluid a unit of time, as far as looked ahead
        bool is_asked = false; // whether it has given the values of the present stage
        Buffer<std::int64_t> index;
        Buffer<Wavenumber<Real>> k;
        Buffer<Real> weight;
        Buffer<int> shell;
        Buffer<Complex<Real>> copied, force;
        std::int64_t count = 0;
        bool is_known = false;            // of given values, whether they have come
        std::vector<std::int64_t> places; // of given values, within a field of the state
        forcing::Values a, f;
        std::vector<double> sums;
        double scale = 1.0;
        std::vector<std::array<double, Stage::registers>>
            by_shell;               // the rank's work in the step, as registers
        std::vector<double> powers; // of the rank, of each stage
        WorkOfSource work;
    };

    kernels::Forced<Real> on(const RunningSource& of) const {
        return {of.index.data(), of.k.data(), of.weight.data(), of.shell.data(), of.count};
    }
    int model_fields() const { return equation_.declaration().fields; }
    bool mean_grows() const { return equation_.declaration().mean_grows; }
    static forcing::ForcedModes chosen(forcing::ForcedModes modes, const std::vector<std::int64_t>& places);
    // The fields that a source acts on: an output is made of all fields of the model, which then grow alike.
    std::array<int, 2> first_and_count(const RunningSource& of) const {
        if (of.field.output >= 0) return {0, model_fields()};
        return {of.field.first, of.field.components};
    }
    static bool is_straight(RunningSource& of, double time, double dt, double dt_usual);
    static void ask(RunningSource& of, double time) {
        if (of.is_asked) return;
        if (of.function) of.function(time);
        of.is_asked = true;
    }
    void place(RunningSource& of, const forcing::ForcedModes& modes);
    void copy_field(RunningSource& of, const Complex<Real>* state);
    std::vector<double> sums_of(const RunningSource& of, const Complex<Real>* state);
    void take_sums(const Complex<Real>* state, Acts wanted);
    double energy_of(const RunningSource& of, const Complex<Real>* state);
    void evaluate(RunningSource& of, const forcing::StepTime& now);
    void put(RunningSource& of, const std::vector<Complex<Real>>& values);
    void add_force(const TendencyData<Real>& data, RunningSource& of, const std::array<Real, 3>& shares);
    void set_force(const TendencyData<Real>& data, RunningSource& of);
    static std::array<Real, 3> shares_of(const StageOfForces& now, bool impulse);
    std::vector<double> power_of(RunningSource& of, double half);
    void begin_step();
    void note(RunningSource& of, const StageOfForces& now, const std::vector<double>& power);
    void finish_work(RunningSource& of, const double* powers, double dt, bool multistep);

    Setting at_;
    const Equation<Device, Real>& equation_;
    ColumnEnergy<Device, Real> energy_; // on CPUs
    std::vector<RunningSource> sources_;
    std::vector<Stage> stages_; // of the present step
    bool presents_ = false;
};

} // namespace whorl

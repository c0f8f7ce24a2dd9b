// Compiled once for each device.
#include "steppers/forces.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "device/chosen.hpp"
#include "grid/box.hpp"

namespace whorl {

template <class Device, class Real>
void Forces<Device, Real>::add(std::unique_ptr<forcing::Source> source, kernels::ForcedField field) {
    RunningSource& of = sources_.emplace_back();
    of.source = std::move(source);
    of.field = field;
    of.by_shell.resize(static_cast<std::size_t>(at_.shells));
    place(of, of.source->modes());
}

// Copies the tables of forced modes to the device.
template <class Device, class Real>
void Forces<Device, Real>::place(RunningSource& of, const forcing::ForcedModes& modes) {
    std::vector<std::int64_t> index;
    std::vector<Wavenumber<Real>> k;
    std::vector<Real> weight;
    std::vector<int> shell;
    for (const forcing::ForcedMode& mode : modes) {
        index.push_back(mode.index);
        k.push_back({static_cast<Real>(mode.k.x), static_cast<Real>(mode.k.y), static_cast<Real>(mode.k.z)});
        weight.push_back(static_cast<Real>(mode.weight));
        const int number = shell_number(std::sqrt(square(mode.k)), at_.smallest_wavenumber);
        shell.push_back(std::min(number, at_.shells - 1));
    }
    of.count = static_cast<std::int64_t>(modes.size());
    of.index = device::copied<std::int64_t, Memory>(index);
    of.k = device::copied<Wavenumber<Real>, Memory>(k);
    of.weight = device::copied<Real, Memory>(weight);
    of.shell = device::copied<int, Memory>(shell);
    const auto values = modes.size() * static_cast<std::size_t>(of.field.components);
    of.copied = Buffer<Complex<Real>>(values);
    of.force = Buffer<Complex<Real>>(values);
    if (!of.source->given()) of.a = of.f = forcing::Values(modes.size(), of.field.components);
}

template <class Device, class Real> std::int64_t Forces<Device, Real>::bytes() const {
    std::int64_t sum = 0;
    for (const RunningSource& of : sources_)
        sum += static_cast<std::int64_t>(of.index.bytes() + of.k.bytes() + of.weight.bytes() +
                                         of.shell.bytes() + of.copied.bytes() + of.force.bytes());
    return sum;
}

template <class Device, class Real> double Forces<Device, Real>::speed(double dt) const {
    double sum = 0.0;
    for (const RunningSource& of : sources_)
        sum += of.field.speed * std::max(of.source->speed(dt), of.ahead * dt);
    return sum;
}

template <class Device, class Real> double Forces<Device, Real>::longest_step() const {
    double rate = 0.0, longest = std::numeric_limits<double>::infinity();
    for (const RunningSource& of : sources_) {
        longest = std::min(longest, of.source->longest_step());
        if (!of.sums.empty() && of.source->acts() == Acts::at_stages) rate += of.source->rate(of.sums);
    }
    return rate > 0.0 ? std::min(longest, 0.5 / rate) : longest;
}

template <class Device, class Real>
void Forces<Device, Real>::try_out(const TendencyData<Real>& data, const Complex<Real>* state,
                                   const forcing::StepTime& now) {
    energy_.set_known(false);
    ask_anew();
    before_stage(state, now.time);
    for (RunningSource& of : sources_) {
        if (of.source->acts() == Acts::after_step || of.source->everywhere()) continue;
        evaluate(of, now);
        add_force(data, of, {static_cast<Real>(now.dt), Real(0), Real(0)});
    }
    energy_.set_known(false);
    ask_anew();
}

template <class Device, class Real>
void Forces<Device, Real>::copy_field(RunningSource& of, const Complex<Real>* state) {
    const kernels::GatherForced<Real> gather{state, at_.modes, on(of), of.field, of.copied.data()};
    if (of.field.output >= 0)
        equation_.gather_output(at_.device, gather);
    else
        kernels::over(at_.device, gather, of.count);
    if (!of.source->reads()) return;
    at_.device.finish();
    std::vector<Complex<Real>> values(of.copied.size());
    Memory::to_host(values.data(), of.copied.data(), of.copied.bytes());
    for (std::size_t i = 0; i < values.size(); ++i) of.a.data()[i] = widened(values[i]);
}

// The rank's part of the sums that a source depends on.
template <class Device, class Real>
std::vector<double> Forces<Device, Real>::sums_of(const RunningSource& of, const Complex<Real>* state) {
    if (of.source->everywhere()) return {energy_of(of, state)};
    std::vector<double> sums(static_cast<std::size_t>(of.source->sums()), 0.0);
    of.source->add_to_sums(of.a, sums);
    return sums;
}

// The sums that sources of a kind depend on, over all ranks at once.
template <class Device, class Real>
void Forces<Device, Real>::take_sums(const Complex<Real>* state, Acts wanted) {
    std::vector<double> all;
    for (RunningSource& of : sources_) {
        if (of.source->acts() != wanted) continue;
        of.sums = sums_of(of, state);
        all.insert(all.end(), of.sums.begin(), of.sums.end());
    }
    if (all.empty()) return;
    {
        const exchange::Watchdog::Scope watched(at_.watchdog, "sum for a force", -1);
        at_.world.sum(all);
    }
    auto next = all.begin();
    for (RunningSource& of : sources_) {
        if (of.source->acts() != wanted) continue;
        std::copy_n(next, of.sums.size(), of.sums.begin());
        next += static_cast<std::ptrdiff_t>(of.sums.size());
    }
}

template <class Device, class Real> bool Forces<Device, Real>::amplifies() const {
    return std::ranges::any_of(sources_, [](const RunningSource& of) {
        return of.source->everywhere() || of.source->reads() || of.function;
    });
}

// The rank's energy of the fields that a source on all modes multiplies. On a GPU the field is read again.
template <class Device, class Real>
double Forces<Device, Real>::energy_of(const RunningSource& of, const Complex<Real>* state) {
    const kernels::RowsOfField<Real> rows{at_.tables, state,
                                          at_.modes,  static_cast<std::int64_t>(at_.height) * at_.tables.nz,
                                          of.field,   mean_grows()};
    if (of.field.output >= 0) return equation_.energy_of_output(at_.device, rows);
    if constexpr (Device::streams) {
        return at_.device.reduce(rows.rows, 1, 0, kernels::EnergyOfRow<Real>{rows})[0];
    } else {
        energy_.find(at_.device, state, at_.fields, [&](int f) { return equation_.summed_from(f); });
        return energy_.of(of.field.first, of.field.components);
    }
}

// Sources on some modes change the state after the stage, so its sums would not be those of the state.
template <class Device, class Real> ColumnSums Forces<Device, Real>::begin_energy() {
    const auto is_of_fields = [](const RunningSource& of) {
        return of.source->everywhere() && of.field.output < 0;
    };
    const bool asked = !Device::streams && any() && std::ranges::all_of(sources_, is_of_fields);
    energy_.set_known(false);
    return asked ? energy_.begin(at_.fields) : ColumnSums{};
}

template <class Device, class Real>
void Forces<Device, Real>::before_stage(const Complex<Real>* state, double time) {
    for (RunningSource& of : sources_) {
        if (of.source->acts() == Acts::after_step) continue;
        ask(of, time);
        if (of.count > 0) copy_field(of, state);
    }
    take_sums(state, Acts::at_stages);
    for (RunningSource& of : sources_)
        if (of.source->everywhere()) of.work.growth.rate = of.source->gain(of.sums[0]);
}

template <class Device, class Real>
void Forces<Device, Real>::begin(const Complex<Real>* state, double time) {
    ask_anew();
    before_stage(state, time);
    for (RunningSource& of : sources_)
        if (of.source->acts() == Acts::after_step) copy_field(of, state);
    take_sums(state, Acts::after_step);
    for (RunningSource& of : sources_)
        if (of.source->acts() != Acts::over_step && !of.source->everywhere()) evaluate(of, {time, 0.0, 0});
}

template <class Device, class Real> std::vector<Growth> Forces<Device, Real>::growth() const {
    std::vector<Growth> growth;
    for (const RunningSource& of : sources_) {
        if (!of.source->everywhere()) continue;
        growth.resize(static_cast<std::size_t>(at_.fields));
        const auto [first, count] = first_and_count(of);
        for (int f = first; f < first + count; ++f) growth[static_cast<std::size_t>(f)].add(of.work.growth);
    }
    return growth;
}

template <class Device, class Real> bool Forces<Device, Real>::grows_alike() const {
    return std::ranges::all_of(sources_, [&](const RunningSource& of) {
        const auto [first, count] = first_and_count(of);
        return !of.source->everywhere() || first >= model_fields() || count >= model_fields();
    });
}

// Evaluates a force and copies it to the device.
template <class Device, class Real>
void Forces<Device, Real>::evaluate(RunningSource& of, const forcing::StepTime& now) {
    of.scale = of.source->scale(now.time);
    if (of.source->given()) return;
    of.source->evaluate(now, of.a, of.sums, of.f);
    std::vector<Complex<Real>> values(of.force.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = narrowed<Real>(of.f.data()[i]);
    put(of, values);
}

template <class Device, class Real>
void Forces<Device, Real>::put(RunningSource& of, const std::vector<Complex<Real>>& values) {
    at_.device.finish();
    Memory::from_host(of.force.data(), values.data(), of.force.bytes());
}

template <class Device, class Real>
void Forces<Device, Real>::add_force(const TendencyData<Real>& data, RunningSource& of,
                                     const std::array<Real, 3>& shares) {
    kernels::AddedForce<Real> force{on(of), of.field, of.force.data(), static_cast<Real>(of.scale), {}};
    std::copy(shares.begin(), shares.end(), force.shares);
    equation_.add_force(at_.device, data, force);
}

// Adds f to the field itself: register 0, without decay.
template <class Device, class Real>
void Forces<Device, Real>::set_force(const TendencyData<Real>& data, RunningSource& of) {
    TendencyData<Real> last = data;
    last.stage = {};
    last.stage.v[0] = 1.0;
    last.stage.ends_step = true;
    last.history = nullptr;
    add_force(last, of, {Real(1), Real(0), Real(0)});
}

// The rank's power by shell; `half` times the square of the force is added.
template <class Device, class Real>
std::vector<double> Forces<Device, Real>::power_of(RunningSource& of, double half) {
    return at_.device.reduce(of.count, at_.shells, 0,
                             kernels::PowerOfForce<Real>{on(of), of.field.components, of.copied.data(),
                                                         of.force.data(), of.scale, half});
}

// Notes the power of a stage, by shell.
template <class Device, class Real>
void Forces<Device, Real>::note(RunningSource& of, const StageOfForces& now,
                                const std::vector<double>& power) {
    of.powers.push_back(std::accumulate(power.begin(), power.end(), 0.0));
    for (std::size_t n = 0; n < power.size(); ++n)
        if (now.multistep && now.number == 0)
            of.by_shell[n][0] = now.step.dt * power[n];
        else if (!now.multistep)
            StageSum(now.stage, now.step.dt)(power[n], of.by_shell[n]);
}

template <class Device, class Real>
void Forces<Device, Real>::after_stage(const TendencyData<Real>& data, const StageOfForces& now) {
    if (now.number == 0) begin_step();
    stages_.push_back(now.stage);
    energy_.set_known(data.energy.of_field && now.stage.writes() & 1);
    for (RunningSource& of : sources_) {
        const Acts acts = of.source->acts();
        if (acts == Acts::after_step) continue;
        if (of.source->everywhere()) {
            // The sum over all ranks is counted once.
            of.powers.push_back(at_.world.rank() == 0 ? 2.0 * of.work.growth.rate * of.sums[0] : 0.0);
            of.work.growth.advance(now.stage, now.step.dt);
            continue;
        }
        const bool once = acts == Acts::over_step;
        if (!once) evaluate(of, {now.time, now.step.dt, now.step.step});
        if (once && now.number == 0) evaluate(of, now.step);
        const bool impulse = once && now.multistep;
        if (impulse && now.number > 0) continue;
        note(of, now, power_of(of, impulse ? 0.5 * now.step.dt : 0.0));
        add_force(data, of, shares_of(now, impulse));
    }
}

// The share of f that each register gains which the stage writes.
template <class Device, class Real>
std::array<Real, 3> Forces<Device, Real>::shares_of(const StageOfForces& now, bool impulse) {
    std::array<Real, 3> shares{};
    // An impulse is for registers that hold a state; those that hold dt f of earlier steps are left alone.
    for (std::size_t i = 0, w = 0; i < shares.size(); ++i)
        if (now.stage.writes() >> i & 1)
            shares[w++] = static_cast<Real>((impulse ? now.stage.m[i][0] : now.stage.v[i]) * now.step.dt);
    return shares;
}

template <class Device, class Real> void Forces<Device, Real>::begin_step() {
    stages_.clear();
    for (RunningSource& of : sources_) {
        of.powers.clear();
        for (auto& of_shell : of.by_shell) of_shell[0] = 0.0;
    }
}

// Changes the fields themselves where sources ask for it, and sums the work over all ranks.
template <class Device, class Real>
void Forces<Device, Real>::end_step(const TendencyData<Real>& data, const Complex<Real>* state,
                                    const forcing::StepTime& step, bool multistep) {
    for (RunningSource& of : sources_)
        if (of.source->acts() == Acts::after_step) copy_field(of, state);
    take_sums(state, Acts::after_step);
    for (RunningSource& of : sources_) {
        if (of.source->acts() != Acts::after_step) continue;
        evaluate(of, step);
        const std::vector<double> power = power_of(of, 0.5);
        for (std::size_t n = 0; n < power.size(); ++n) of.by_shell[n][0] = power[n];
        of.powers.push_back(std::accumulate(power.begin(), power.end(), 0.0));
        set_force(data, of);
    }
    std::vector<double> all;
    for (const RunningSource& of : sources_) all.insert(all.end(), of.powers.begin(), of.powers.end());
    {
        const exchange::Watchdog::Scope watched(at_.watchdog, "sum of the work of forces", -1);
        at_.world.sum(all);
    }
    const double* next = all.data();
    for (RunningSource& of : sources_) {
        finish_work(of, next, step.dt, multistep);
        next += of.powers.size();
    }
}

template <class Device, class Real>
void Forces<Device, Real>::finish_work(RunningSource& of, const double* powers, double dt, bool multistep) {
    WorkOfSource& work = of.work;
    const Acts acts = of.source->acts();
    double gained = 0.0;
    if (acts == Acts::after_step) {
        gained = powers[0];
    } else if (acts == Acts::over_step && multistep) {
        gained = powers[0] * dt;
    } else {
        work.registers[0] = 0.0;
        for (std::size_t s = 0; s < stages_.size(); ++s) StageSum(stages_[s], dt)(powers[s], work.registers);
        gained = work.registers[0];
    }
    work.total += gained;
    work.power = gained / dt;
    work.growth.exponents[0] = 0.0;
}

template <class Device, class Real>
std::vector<double> Forces<Device, Real>::power_by_shell(std::size_t number, double dt) {
    std::vector<double> power;
    for (const auto& of_shell : sources_[number].by_shell) power.push_back(dt > 0.0 ? of_shell[0] / dt : 0.0);
    const exchange::Watchdog::Scope watched(at_.watchdog, "sum of what was measured", -1);
    at_.world.sum(power);
    return power;
}

template class Forces<device::Chosen, float>;
template class Forces<device::Chosen, double>;

} // namespace whorl

// Forces whose values are given, and forces at a time between steps or ahead of a step. Compiled once for
// each device.
#include <cmath>
#include <limits>

#include "base/maximum.hpp"
#include "device/chosen.hpp"
#include "steppers/forces.hpp"

namespace whorl {

template <class Device, class Real>
void Forces<Device, Real>::give(std::size_t number, const std::vector<Complex<Real>>& values,
                                const std::function<forcing::ForcedModes()>& all) {
    RunningSource& of = sources_[number];
    of.is_known = true;
    const auto modes = static_cast<std::size_t>(at_.modes);
    const auto components = static_cast<std::size_t>(of.field.components);
    double largest = 0.0;
    for (const Complex<Real>& value : values)
        largest = std::max(largest, dot(widened(value), widened(value)));
    at_.world.maximum(std::span(&largest, 1));
    constexpr double negligible = 8 * std::numeric_limits<Real>::epsilon();
    // A value that is not finite is kept, and ends the run.
    const double bound = std::isfinite(largest) ? negligible * negligible * largest : 0.0;
    std::vector<std::int64_t> places;
    for (std::size_t at = 0; at < modes; ++at) {
        double of_mode = 0.0;
        for (std::size_t c = 0; c < components; ++c) {
            const Complex<double> value = widened(values[c * modes + at]);
            of_mode = larger(of_mode, dot(value, value));
        }
        if (!(of_mode <= bound)) places.push_back(static_cast<std::int64_t>(at));
    }
    if (places != of.places) {
        place(of, chosen(all(), places));
        of.places = places;
    }
    std::vector<Complex<Real>> given;
    given.reserve(components * places.size());
    for (std::size_t c = 0; c < components; ++c)
        for (const std::int64_t at : places)
            given.push_back(values[c * modes + static_cast<std::size_t>(at)]);
    put(of, given);
    double sum = at_.device.reduce(
        of.count, 1, 0, kernels::SquareOfForce<Real>{on(of), of.field.components, of.force.data()})[0];
    at_.world.sum(std::span(&sum, 1));
    of.source->set_size(std::sqrt(sum));
}

// Whether a factor in time differs from a straight line by a twentieth of its size at most; irregular times,
// so that no oscillation hides between them. The size is that of a usual step before, too: near a zero that a
// factor touches it would else shrink with the step.
template <class Device, class Real>
bool Forces<Device, Real>::is_straight(RunningSource& of, double time, double dt, double dt_usual) {
    constexpr std::array places{0.19, 0.43, 0.71};
    const double first = of.factor(time), last = of.factor(time + dt);
    double size = std::max(std::abs(first), std::abs(last)), bend = 0.0;
    for (const double place : places) {
        const double value = of.factor(time + place * dt);
        size = std::max(size, std::abs(value));
        bend = std::max(bend, std::abs(value - first - place * (last - first)));
    }
    of.ahead = 0.0;
    if (!std::isfinite(size)) return false;
    of.source->set_factor(size);
    of.ahead = of.source->speed(1.0);
    for (const double place : {0.27, 0.61, 1.0}) {
        const double before = dt_usual > 0.0 ? std::abs(of.factor(time - place * dt_usual)) : 0.0;
        if (std::isfinite(before)) size = std::max(size, before);
    }
    return bend <= 0.05 * size;
}

template <class Device, class Real>
double Forces<Device, Real>::look_ahead(double time, double dt, double dt_usual, bool all) {
    // A fiftieth of a usual step: if it were of a step shortened in this way, steps would shrink for ever.
    const double shortest = std::max(dt, dt_usual) / 50;
    double longest = dt;
    if (!std::isfinite(dt)) return dt;
    for (RunningSource& of : sources_)
        while (of.factor && !is_straight(of, time, longest, dt_usual) && longest > shortest)
            longest = std::max(0.5 * longest, shortest);
    for (RunningSource& of : sources_) {
        if (of.factor) is_straight(of, time, longest, dt_usual);
        if (of.factor || !of.function) continue;
        of.ahead = 0.0;
        if (!all) continue;
        of.function(time + longest);
        of.ahead = of.source->speed(1.0);
    }
    ask_anew();
    return longest;
}

namespace kernels {

// weight |f|^2, and k^2 times it.
template <class Real> struct SquaresOfForce {
    Forced<Real> on;
    int components;
    const Complex<Real>* force;

    WHORL_INLINE void operator()(std::int64_t i, double* sums) const {
        double square_of_mode = 0.0;
        for (int c = 0; c < components; ++c) {
            const Complex<double> f = widened(force[c * on.count + i]);
            square_of_mode += dot(f, f);
        }
        square_of_mode *= static_cast<double>(on.weight[i]);
        sums[0] += square_of_mode;
        sums[1] += square_of_mode * square(widened(on.k[i]));
    }
};

} // namespace kernels

template <class Device, class Real> double Forces<Device, Real>::wavenumber(std::size_t number) {
    const RunningSource& of = sources_[number];
    if (of.source->everywhere()) return 0.0;
    if (!of.source->given()) {
        double largest = 0.0;
        for (const forcing::ForcedMode& mode : of.source->modes())
            largest = std::max(largest, square(mode.k));
        at_.world.maximum(std::span(&largest, 1));
        return std::sqrt(largest);
    }
    std::vector<double> sums = at_.device.reduce(
        of.count, 2, 0, kernels::SquaresOfForce<Real>{on(of), of.field.components, of.force.data()});
    at_.world.sum(sums);
    return sums[0] > 0.0 ? std::sqrt(sums[1] / sums[0]) : 0.0;
}

// The modes whose index is in a list in rising order, in its order.
template <class Device, class Real>
forcing::ForcedModes Forces<Device, Real>::chosen(forcing::ForcedModes modes,
                                                  const std::vector<std::int64_t>& places) {
    std::ranges::sort(modes, {}, &forcing::ForcedMode::index);
    std::erase_if(modes, [&](const forcing::ForcedMode& mode) {
        return !std::ranges::binary_search(places, mode.index);
    });
    return modes;
}

template <class Device, class Real>
double Forces<Device, Real>::add_present(std::size_t number, const Complex<Real>* state, double time,
                                         Complex<Real>* to) {
    RunningSource& of = sources_[number];
    WHORL_REQUIRE(of.source->at_any_time(),
                  "forcing \"" + of.source->name() +
                      "\" has no value at a moment: it follows from a step; see its "
                      "power in the series.");
    WHORL_REQUIRE(!presents_,
                  "forcing \"" + of.source->name() +
                      "\" is asked for while it is worked out: its function must not read forces.");
    const Within presenting(presents_);
    ask(of, time);
    WHORL_REQUIRE(of.is_known || !of.source->given(),
                  "forcing \"" + of.source->name() +
                      "\" has no values here: its script, or the file of its shape, is not there.");
    if (of.count > 0) copy_field(of, state);
    of.sums = sums_of(of, state);
    {
        const exchange::Watchdog::Scope watched(at_.watchdog, "sum for a force", -1);
        at_.world.sum(std::span(of.sums));
    }
    if (of.source->everywhere()) return of.source->gain(of.sums[0]);
    // A step finds its mean force once, for all of its stages.
    const bool of_step = of.source->acts() == Acts::over_step;
    Buffer<Complex<Real>> found(of_step ? of.force.size() : 0);
    if (of_step) std::swap(of.force, found);
    evaluate(of, {time, 0.0, 0});
    kernels::over(at_.device,
                  kernels::Scatter<Real>{on(of), of.field.components, of.force.data(),
                                         static_cast<Real>(of.scale), to, at_.modes},
                  of.count);
    if (of_step) {
        at_.device.finish();
        std::swap(of.force, found);
    }
    return 0.0;
}

#define WHORL_INSTANTIATE(Real)                                                                              \
    template void Forces<device::Chosen, Real>::give(std::size_t, const std::vector<Complex<Real>>&,         \
                                                     const std::function<forcing::ForcedModes()>&);          \
    template double Forces<device::Chosen, Real>::look_ahead(double, double, double, bool);                  \
    template double Forces<device::Chosen, Real>::wavenumber(std::size_t);                                   \
    template double Forces<device::Chosen, Real>::add_present(std::size_t, const Complex<Real>*, double,     \
                                                              Complex<Real>*);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl

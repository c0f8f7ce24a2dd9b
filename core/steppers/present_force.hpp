// What a force is at a moment, for those who ask between steps or before a stage.
#pragma once

#include "steppers/run_forces.hpp"

namespace whorl {

template <class Model, class Device, class Real>
double Forces<Model, Device, Real>::add_present(std::size_t number, const Complex<Real>* state, double time,
                                                Complex<Real>* to) {
    Running& of = sources_[number];
    WHORL_REQUIRE(of.source->momentary(), "forcing \"" + of.source->name() +
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
    // What a step has found of its mean force serves all of its stages.
    const bool of_step = of.source->acts() == Acts::over_step;
    Buffer<Complex<Real>> found(of_step ? of.force.size() : 0);
    if (of_step) std::swap(of.force, found);
    evaluate(of, {time, 0.0, 0});
    over(kernels::Scatter<Real>{on(of), of.field.components, of.force.data(), static_cast<Real>(of.scale), to,
                                at_.modes},
         of.count);
    if (of_step) {
        at_.device.finish();
        std::swap(of.force, found);
    }
    return 0.0;
}

} // namespace whorl

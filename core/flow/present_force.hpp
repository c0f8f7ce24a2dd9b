// The force on a field as a field: for programs, which know it by its number.
#pragma once

#include "fields/passes.hpp"
#include "flow/make_program_runs.hpp"
#include "measure/state.hpp"
#include "steppers/stepper.hpp"

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

struct NamedField {
    std::string name;
    int components;
    std::array<Parity, 3> parities;
    bool mean_grows; // by linear forcing
};

// The sum of all sources on a field at `time`, which is that of the state. `read(buffer)` gives the modes of
// the field, which are in the buffer if it is no field of the state. Functions of sources are called, within
// a step once for all callers in the same stage. Collective.
template <class Device, class Real, class Read>
ForceOfFlow<Device, Real> present_force(Stepper<Device, Real>& stepper, const ModeSet<Device, Real>& set,
                                        const NamedField& of, double time, const Read& read) {
    using Values = device::Buffer<Complex<Real>, typename Device::Memory>;
    stepper.require_state_of_time("a force is measured");
    Values made(static_cast<std::size_t>(of.components * stepper.modes()), set.device.executors());
    auto& forces = stepper.forces();
    if (!stepper.is_stepping()) forces.ask_anew();
    for (std::size_t n = 0; n < forces.count(); ++n) {
        if (forces.source(n).field() != of.name) continue;
        const double gain = forces.add_present(n, stepper.state(), time, made.data());
        if (!forces.source(n).everywhere()) continue;
        Values beside;
        const FieldModes<Real> field = read(beside);
        each_mode(set, AddTimes<Real>{static_cast<Real>(gain), field.data, made.data(), field.modes,
                                      of.components, of.mean_grows});
        set.device.finish(); // before the buffer is released
    }
    set.device.finish();
    return {std::move(made), {of.parities.begin(), of.parities.begin() + of.components}};
}

} // namespace whorl

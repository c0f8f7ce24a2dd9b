// The length of a step from a state if no step before it is known. Its growth cannot be known either: the
// fluid may be at rest, and forces, buoyancy or an instability move it within the step. The step of the
// Courant number is made shorter until three Euler steps of a third of it, which leave the state as it is,
// find that the rate of advection
//
//   does not grow beyond its double, or stays below a fiftieth of the Courant number, or grows as in the
//   first.
//
// From there on a step follows from the step before (TimeStep), which may be many times shorter.
#pragma once

#include <array>
#include <cmath>
#include <functional>

#include "steppers/forces.hpp"

namespace whorl {

template <class Device, class Real> struct FirstStep {
    RoundTrip<Device, Real>& trip;
    const Equation<Device, Real>& equation;
    Forces<Device, Real>& forces;
    Fields<Real> state, beside;
    std::function<TendencyData<Real>(const Stage&, TimeStep&)> tendency;

    // Returns dt_max if the step of the Courant number is short enough. The result is not finite if nothing
    // moves and dt_max is not finite. Collective.
    double find(TimeStep time_step, std::int64_t step_number) {
        constexpr int most = 60;
        const double rate = rate_of(state, time_step.time), allowed = time_step.dt_max;
        double dt = std::min(time_step.dt_max, forces.longest_step());
        // The second time the forces are known within the step found first.
        for (int round = 0; round < 2; ++round) {
            time_step.dt_max = forces.look_ahead(time_step.time, dt, 0.0, true);
            dt = time_step.longest(rate);
        }
        if (!std::isfinite(rate) || !std::isfinite(dt)) return dt;
        if (is_resolved(time_step, dt, rate, step_number)) return allowed;
        for (int n = 1; n < most; ++n)
            if (is_resolved(time_step, dt *= 0.25, rate, step_number)) break;
        return dt;
    }

  private:
    bool is_resolved(const TimeStep& of, double dt, double rate, std::int64_t step_number) {
        constexpr int steps = 3;
        const double third = dt / steps;
        std::array<double, steps + 1> rates{};
        for (int n = 0; n < steps; ++n) {
            TimeStep euler{third, 0.0, third, of.time};
            TendencyData<Real> pass = n == 0 ? into(1, state, euler) : into(0, beside, euler);
            pass.time = of.time + n * third;
            rates[static_cast<std::size_t>(n)] = pass.rate(equation.run(trip, pass)[0]);
            // Forces are added as they are at the end, so that forces that are zero at first are seen.
            forces.try_out(pass, pass.registers[0], {of.time + (n + 1) * third, third, step_number});
        }
        const double last = rates[steps] = rate_of(beside, of.time + dt);
        const double as_at_first = rate + steps * (rates[1] - rate);
        const bool grows_evenly = last * dt <= 1.5 * of.courant && std::abs(last - as_at_first) <= 0.2 * last;
        return last <= 2.0 * rate || last * dt <= of.courant / 50 || grows_evenly;
    }

    // The pass of an Euler step from `from` into the register that is written: 0 is `from` itself.
    TendencyData<Real> into(std::size_t written, Fields<Real> from, TimeStep& time_step) {
        Stage euler;
        euler.m[written][0] = euler.v[written] = euler.advance = 1.0;
        euler.ends_step = true;
        TendencyData<Real> pass = tendency(euler, time_step);
        pass.registers = {from, beside, nullptr};
        pass.history = nullptr;
        pass.measures = true;
        return pass;
    }
    // The rate of advection of these fields. The Euler step is written to `beside`.
    double rate_of(Fields<Real> fields, double time) {
        TimeStep unit{1.0, 0.0, 0.0, time};
        TendencyData<Real> pass = into(fields == beside ? 0 : 1, fields, unit);
        return pass.rate(equation.run(trip, pass)[0]);
    }
};

} // namespace whorl

// The size of a step: the way to find it, and the result.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

namespace whorl {

// The way in which dt is found. It is given, or the largest with the Courant number (Tendency::rate)
// `courant`, also with the rate that is expected at the end of the step.
struct TimeStep {
    // The factor by which the rate may grow in a step without making it shorter.
    static constexpr double tolerated = 1.2;

    double dt = 0.0;
    double courant = 0.0; // 0: dt as given
    double dt_max = 0.0;
    double time = 0.0;                         // at its beginning
    double rate_before = 0.0, dt_before = 0.0; // of a state before, and the time since then; or 0
    double dt_usual = 0.0;                     // StepReport::dt_usual of the step before, or 0
    // The rate of advection that forces add within dt, or null.
    const std::function<double(double)>* push = nullptr;

    // The rate at which the rate of advection has grown since then: flows from near rest grow exponentially.
    double growth(double rate) const {
        return dt_before > 0.0 && rate_before > 0.0 && rate > rate_before
                   ? std::log(rate / rate_before) / dt_before
                   : 0.0;
    }

    // The longest step with the Courant number, of a fluid of this rate of advection.
    double longest(double rate) const {
        const double free = rate > 0.0 ? std::min(courant / rate, dt_max) : dt_max, grows = growth(rate);
        if (!push && grows == 0.0) return free;
        const auto is_short = [&](double trial) {
            const double grown = std::max(1.0, std::exp(grows * trial) / tolerated);
            return (rate * grown + (push ? (*push)(trial) : 0.0)) * trial <= courant;
        };
        double most = free;
        if (!std::isfinite(most))
            for (most = 1.0; is_short(most) && std::isfinite(2.0 * most);) most *= 2.0;
        if (is_short(most)) return free;
        // Bisection goes to the last bit, so that the step does not depend on dt_max.
        double least = 0.0, middle = 0.5 * most;
        while (least < middle && middle < most) {
            (is_short(middle) ? least : most) = middle;
            middle = 0.5 * (least + most);
        }
        return least > 0.0 ? least : most;
    }
};

struct StepReport {
    double dt;
    double courant;          // largest rate of advection and waves times dt, of the state at the beginning
    double maximum_velocity; // of that state; NaN when it was not finite
    double dt_usual;         // the longest step since the flow itself determined the length of one
};

} // namespace whorl

#include "steppers/history.hpp"

#include <array>

namespace whorl {

namespace {

constexpr double longest_growth = 4.0; // largest ratio of a step to the one before

// The integrals from 0 to dt of the Lagrange polynomials of the past nodes -t_1 (and -t_2), the other node 0.
std::array<double, 2> weights_of_past(double dt, const std::vector<double>& steps) {
    const double t = steps[0];
    if (steps.size() == 1) return {-dt * dt / (2 * t), 0.0};
    const double later = steps[1], both = t + later;
    return {-dt * dt * (dt / 3 + both / 2) / (t * later), dt * dt * (dt / 3 + t / 2) / (both * later)};
}

} // namespace

void History::add(double dt) {
    if (!serves(dt)) forget();
    steps_.insert(steps_.begin(), dt);
    if (static_cast<int>(steps_.size()) > longest_) steps_.resize(static_cast<std::size_t>(longest_));
}

bool History::serves(double dt) const { return !steps_.empty() && dt <= longest_growth * steps_.front(); }

Stage History::stage(double dt) const {
    Stage stage;
    stage.advance = 1.0;
    stage.ends_step = true;
    const std::array<double, 2> past = weights_of_past(dt, steps_);
    double present = dt;
    stage.m[0][0] = 1.0;
    for (std::size_t j = 0; j < steps_.size(); ++j) {
        stage.m[0][j + 1] = past[j] / steps_[j];
        present -= past[j];
    }
    stage.v[0] = present / dt;
    stage.v[1] = 1.0;
    for (std::size_t j = 2; j <= static_cast<std::size_t>(longest_); ++j) stage.m[j][j - 1] = 1.0;
    return stage;
}

} // namespace whorl

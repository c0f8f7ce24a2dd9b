// The earlier steps of a multistep scheme. Register j = 1, 2, … holds dt_j f_j of the j-th step before the
// present one, carried to the present by the exact factor. A step of Adams and Bashforth integrates the
// polynomial through f and the f_j, whose steps may be of any length (Hairer, Norsett and Wanner, Solving
// Ordinary Differential Equations I, section III.5), and then shifts the registers by one.
#pragma once

#include <vector>

#include "steppers/scheme.hpp"

namespace whorl {

class History {
  public:
    explicit History(int longest) : longest_(longest) {}

    int longest() const { return longest_; }
    // The lengths of the steps remembered, the latest first.
    const std::vector<double>& steps() const { return steps_; }
    void set_steps(std::vector<double> steps) { steps_ = std::move(steps); }
    void forget() { steps_.clear(); }
    // Adds a step of dt, whose tendency is in register 1.
    void add(double dt);

    // Whether a step of dt uses the steps remembered: not the first step, nor one so much longer than the one
    // before that the polynomial through the past is no longer accurate, which starts the scheme again.
    bool serves(double dt) const;
    // The stage of a step of dt that uses them.
    Stage stage(double dt) const;

  private:
    int longest_;
    std::vector<double> steps_;
};

} // namespace whorl

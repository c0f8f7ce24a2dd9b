// What goes along with the steps of a flow, as particles do: an equation of its own by the same scheme, whose
// right-hand side is taken from the flow's state at each stage.
#pragma once

#include <cstdint>
#include <span>

#include "steppers/scheme.hpp"

namespace whorl {

// A stage as it was made.
struct StageMade {
    Stage stage;
    double dt = 0.0;                 // of the step
    int number = 0;                  // in the step
    std::int64_t step = 0;           // number of the step
    std::span<const double> earlier; // lengths of the steps that the scheme remembers, the latest first
};

class Companion {
  public:
    virtual ~Companion() = default;
    // The state is that of the next stage.
    virtual void before_stage() = 0;
    virtual void after_stage(const StageMade& made) = 0;
};

} // namespace whorl

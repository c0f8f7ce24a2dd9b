// What goes along with the steps of a flow, as particles do: an equation of its own by the same scheme, whose
// right-hand side is taken from the flow's state at each stage.
#pragma once

#include "steppers/scheme.hpp"

namespace whorl {

class Companion {
  public:
    virtual ~Companion() = default;
    // The state is that of the next stage.
    virtual void before_stage() = 0;
    // The stage was made with a step of dt.
    virtual void after_stage(const Stage& stage, double dt) = 0;
};

} // namespace whorl

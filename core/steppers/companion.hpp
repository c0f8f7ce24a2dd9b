// An equation that advances with the steps of a flow, as that of particles does. It has the same scheme, and
// its right-hand side follows from the flow's state at each stage.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "roundtrip/pass.hpp"
#include "steppers/scheme.hpp"

namespace whorl {

// The grid on which a stage's right-hand side is computed.
struct StageGrid {
    std::array<double, 3> shift{}; // in cells
    int shown_rows = 0;            // of a block whose points are shown, the velocity first; 0: they are not
    int shown_velocity = 3;        // components that these have; a plane flow has the first two
};

// A stage as it was made.
struct StageMade {
    Stage stage;
    double dt = 0.0;                 // of the step
    int number = 0;                  // in the step
    std::int64_t step = 0;           // number of the step
    std::span<const double> earlier; // lengths of the steps that the scheme remembers, the latest first
};

template <class Real> class Companion {
  public:
    virtual ~Companion() = default;
    // The state is that of the next stage, at `time`. Returns the tap that sees the points of its right-hand
    // side, or null.
    virtual PointTap<Real>* before_stage(const StageGrid& grid, double time) = 0;
    virtual void after_stage(const StageMade& made) = 0;
};

} // namespace whorl

// Makes the flow of an equation; models are compiled without it.
#pragma once

#include <memory>

#include "flow/flow.hpp"
#include "steppers/equation.hpp"

namespace whorl {

template <class Device, class Real>
std::unique_ptr<Flow> make_flow_of(const Options& options, int communicator,
                                   std::unique_ptr<Equation<Device, Real>> equation);

} // namespace whorl

// Compiled once for each device.
#include "flow/flow_of.hpp"

#include "device/chosen.hpp"
#include "flow/make_flow.hpp"

namespace whorl {

template <class Device, class Real>
std::unique_ptr<Flow> make_flow_of(const Options& options, int communicator,
                                   std::unique_ptr<Equation<Device, Real>> equation) {
    return std::make_unique<FlowOf<Device, Real>>(options, communicator, std::move(equation));
}

#define WHORL_INSTANTIATE(Real)                                                                              \
    template std::unique_ptr<Flow> make_flow_of(const Options&, int,                                         \
                                                std::unique_ptr<Equation<device::Chosen, Real>>);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl

// Services of a flow to its programs (flow/program_runs.hpp); models are compiled without these.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/parity.hpp"
#include "device/buffer.hpp"
#include "exchange/communicator.hpp"
#include "flow/options.hpp"
#include "roundtrip/roundtrip.hpp"
#include "steppers/companion.hpp"

namespace whorl {

class ProgramRuns;

// The state and its parities. Each component has `modes` modes.
template <class Real> struct StateOfFlow {
    Complex<Real>* data;
    std::int64_t modes;
    std::vector<Parity> parities;
};

// The force on a field, its components one after another, and their parities.
template <class Device, class Real> struct ForceOfFlow {
    device::Buffer<Complex<Real>, typename Device::Memory> values;
    std::vector<Parity> parities;
};

// The parts of a flow that programs use, which outlive them. The state is asked for when it is needed, and
// the force on a field by the field's name and a time.
template <class Device, class Real> struct FlowOfPrograms {
    RoundTrip<Device, Real>& trip;
    const exchange::Communicator& world;
    const Options& options;
    const Truncation& truncation;
    std::function<StateOfFlow<Real>()> state;
    std::function<ForceOfFlow<Device, Real>(const std::string&, double)> force;
    std::function<void(Companion<Real>&)> accompany; // all steps to come
    bool shifts;                                     // whether products are the mean of two grids
};

// The bytes of a round trip without those of a library, which are the device's.
template <class Device, class Real> std::int64_t own_bytes(const RoundTrip<Device, Real>& trip) {
    std::int64_t bytes = 0;
    for (const auto& [name, part] : trip.memory())
        if (name != "library") bytes += part;
    return bytes;
}

template <class Device, class Real>
std::shared_ptr<ProgramRuns> make_program_runs(const FlowOfPrograms<Device, Real>& flow);

} // namespace whorl

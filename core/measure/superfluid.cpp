// Compiled once for each device.
#include "measure/superfluid.hpp"

#include "device/chosen.hpp"
#include "measure/wave_function.hpp"
#include "roundtrip/run.hpp"

namespace whorl {

static_assert(FlowOfWaveFunction<double>::inputs == inputs_of_wave_function);

template <class Device, class Real>
SuperfluidFlow<Device, Real> superfluid_flow(RoundTrip<Device, Real>& trip, const ModeSet<Device, Real>& set,
                                             const WaveConstants& of, const Complex<Real>* psi) {
    using Memory = typename Device::Memory;
    const std::int64_t modes = set.table.modes();
    SuperfluidFlow<Device, Real> result;
    result.flow =
        device::Buffer<Complex<Real>, Memory>(static_cast<std::size_t>(3 * modes), set.device.executors());
    trip.shift({0.0, 0.0, 0.0});
    for (int axis = 0; axis < 3; ++axis) {
        device::Buffer<double, Memory> mean_on_device(3);
        FlowOfWaveFunction<Real> pass;
        pass.alpha = static_cast<Real>(of.alpha);
        pass.beta = static_cast<Real>(of.beta);
        pass.rho0 = static_cast<Real>(of.rho0);
        pass.axis = axis;
        pass.psi = psi;
        pass.modes = modes;
        pass.flow = result.flow.data();
        pass.mean = mean_on_device.data();
        trip.run(pass);
        set.device.finish();
        std::array<double, 3> mean{};
        Memory::to_host(mean.data(), mean_on_device.data(), sizeof mean);
        reduce_ranks(set, mean, {});
        result.kinetic += mean[0];
        result.quantum += mean[1];
        result.interaction = mean[2];
    }
    return result;
}

#define WHORL_INSTANTIATE(Real)                                                                              \
    template SuperfluidFlow<device::Chosen, Real> superfluid_flow(                                           \
        RoundTrip<device::Chosen, Real>&, const ModeSet<device::Chosen, Real>&, const WaveConstants&,        \
        const Complex<Real>*);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl

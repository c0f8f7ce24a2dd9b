// Compiled once for each device.
#include "particles/sampler_parts.hpp"

#include "device/chosen.hpp"
#include "programs/loads_on_streams.hpp"
#include "roundtrip/run.hpp"

namespace whorl::particles {

template <class Device, class Real>
SamplerParts<Device, Real>::SamplerParts(RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
                                         const Box& box, const Interpolation& interpolation,
                                         programs::InputTerms inputs, int lanes)
    : trip_(trip), host_(Device::streams ? 0 : trip.device().executors()), interpolation_(interpolation),
      ownership_(box, trip.pencils(), world.rank()), ghosts_(world, ownership_, interpolation),
      inputs_(std::move(inputs), trip.layout()) {
    if (trip.shown_rows() == 0) {
        array_ = {nullptr, block_of(trip), lanes};
        values_ = device::Buffer<Real, Memory>(
            static_cast<std::size_t>(1LL * variables() * trip.layout().largest_point_batch() *
                                     array_.plane()),
            trip.device().executors());
        array_.data = values_.data();
    }
    for (int axis = 0; axis < 3; ++axis)
        prefilter_.axes[static_cast<std::size_t>(axis)] =
            box.flat(axis) ? Prefilter() : Prefilter(interpolation, box.spacing(axis));
}

template <class Device, class Real>
void SamplerParts<Device, Real>::refer_to(const NamedFields& named_fields) {
    inputs_.refer_to(named_fields);
    sampled_.clear();
    parities_.clear();
    for (int v = 0; v < variables(); ++v) {
        SampledInput<Real>& one = sampled_.emplace_back();
        static_cast<programs::LinearInput<Real>&>(one) = inputs_.on_host()[v];
        one.prefilter = prefilter_;
        parities_.push_back(one.parity);
    }
    trip_.shift({0.0, 0.0, 0.0});
}

template <class Device, class Real>
void SamplerParts<Device, Real>::run(const std::function<void(const LaneArray<Real>&)>& gather) {
    parities_there_ = device::Table<Parity, Memory>(parities_);
    const BlockCallback<Real> at_batch = [&](const PhysicalBlock& block, Real* values) {
        if (block.points() > 0) gather({values, block, array_.lanes});
    };
    SamplePass<Real> pass;
    static_cast<SampledInput<Real>&>(pass) = sampled_.front();
    pass.sampled = sampled_.data();
    pass.count = variables();
    pass.array = array_;
    pass.at_batch = &at_batch;
    trip_.run(pass);
    device().finish();
}

template <class Device, class Real>
void SamplerParts<Device, Real>::add(const LaneArray<Real>& values, const Particles& of, double* sums) {
    if (of.begin == of.end) return;
    switch (interpolation_.points) {
    case 4:
        return add_of<4>(values, of, sums);
    case 6:
        return add_of<6>(values, of, sums);
    case 8:
        return add_of<8>(values, of, sums);
    default:
        return add_of<0>(values, of, sums);
    }
}

template <class Device, class Real>
template <int points>
void SamplerParts<Device, Real>::add_of(const LaneArray<Real>& values, const Particles& of, double* sums) {
    constexpr int on_streams = 256, on_threads = 1;
    const auto& [x, y, z] = ownership_.axes();
    const Gather<Real, points> kernel{interpolation_,
                                      {x, y, z},
                                      parities_there_.data(),
                                      variables(),
                                      values,
                                      of,
                                      sums,
                                      Device::streams ? on_streams : on_threads};
    device().over(kernel.rows(), kernel);
    device().finish();
}

#define WHORL_INSTANTIATE(Real) template class SamplerParts<device::Chosen, Real>;
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl::particles

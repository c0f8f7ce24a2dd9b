// Compiled once for each device.
#include "fields/physical.hpp"

#include "device/chosen.hpp"
#include "roundtrip/run.hpp"

namespace whorl {

namespace {

template <class Device, class Real> PhysicalBlock block_of(const RoundTrip<Device, Real>& trip) {
    return {trip.layout().point_z, trip.layout().y, trip.layout().nx};
}

// Memory for the points of a batch of planes, on the device and on the host.
template <class Device, class Real> struct Staging {
    using Memory = typename Device::Memory;
    device::Buffer<Real, Memory> points;
    device::Buffer<Real, typename Device::HostSide> host;
    int components;

    Staging(const RoundTrip<Device, Real>& trip, int count) : components(count) {
        PhysicalBlock largest = block_of(trip);
        largest.z = {0, trip.layout().largest_point_batch()};
        const auto size = static_cast<std::size_t>(components * largest.points());
        const int threads = trip.device().executors();
        points = device::Buffer<Real, Memory>(size, threads);
        if (Memory::separate) host = device::Buffer<Real, typename Device::HostSide>(size, threads);
    }
    std::size_t bytes(const PhysicalBlock& block) const {
        return static_cast<std::size_t>(components * block.points()) * sizeof(Real);
    }
    // Callbacks that see copies on the host of the data on the device.
    BlockCallback<Real> consumer(const BlockCallback<Real>& consume) {
        if (!Memory::separate) return consume;
        return [&](const PhysicalBlock& block, Real* values) {
            Memory::to_host(host.data(), values, bytes(block));
            consume(block, host.data());
        };
    }
    BlockCallback<Real> filler(const BlockCallback<Real>& fill) {
        if (!Memory::separate) return fill;
        return [&](const PhysicalBlock& block, Real* values) {
            fill(block, host.data());
            Memory::from_host(values, host.data(), bytes(block));
        };
    }
};

// Calls f(n) with the number of components as a constant.
template <class F> void with_components(int components, const F& f) {
    if (components == 1) return f(std::integral_constant<int, 1>{});
    if (components == 2) return f(std::integral_constant<int, 2>{});
    f(std::integral_constant<int, 3>{});
}

} // namespace

template <class Device, class Real>
void read_points(RoundTrip<Device, Real>& trip, const FieldModes<Real>& field,
                 const BlockCallback<Real>& consume) {
    Staging<Device, Real> staging(trip, field.components);
    const BlockCallback<Real> call = staging.consumer(consume);
    trip.shift({0.0, 0.0, 0.0});
    with_components(field.components, [&](auto n) {
        ReadField<Real, n> pass(field.data, field.modes, field.parities,
                                {{staging.points.data(), block_of(trip)}, &call});
        trip.run(pass);
    });
}

template <class Device, class Real>
void write_points(RoundTrip<Device, Real>& trip, const FieldModes<Real>& field, bool make_solenoidal,
                  const BlockCallback<Real>& fill) {
    Staging<Device, Real> staging(trip, field.components);
    const BlockCallback<Real> call = staging.filler(fill);
    trip.shift({0.0, 0.0, 0.0});
    with_components(field.components, [&](auto n) {
        WriteField<Real, n> pass(field.data, field.modes, field.parities, make_solenoidal,
                                 {{staging.points.data(), block_of(trip)}, &call});
        trip.run(pass);
    });
    trip.device().finish();
}

template <class Device, class Real>
void transform_pair(RoundTrip<Device, Real>& trip, const FieldModes<Real>& field) {
    with_components(field.components, [&](auto n) {
        TransformPair<Real, n> pass(field.data, field.modes, field.parities);
        trip.run(pass);
    });
}

#define WHORL_INSTANTIATE(Real)                                                                              \
    template void transform_pair(RoundTrip<device::Chosen, Real>&, const FieldModes<Real>&);                 \
    template void read_points(RoundTrip<device::Chosen, Real>&, const FieldModes<Real>&,                     \
                              const BlockCallback<Real>&);                                                   \
    template void write_points(RoundTrip<device::Chosen, Real>&, const FieldModes<Real>&, bool,              \
                               const BlockCallback<Real>&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl

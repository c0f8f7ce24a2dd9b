// Arrays of values at the grid points of a rank, a batch of planes at a time, and the memory for them.
#pragma once

#include "device/buffer.hpp"
#include "grid/physical_block.hpp"
#include "roundtrip/roundtrip.hpp"

namespace whorl {

template <class Real> struct BlockArray {
    Real* data;
    PhysicalBlock block;

    WHORL_INLINE std::int64_t row_of(Point p) const {
        return static_cast<std::int64_t>(p.z - block.z.begin) * block.y.size() + (p.y - block.y.begin);
    }
    WHORL_INLINE Real& at(int component, Point p) const {
        return data[component * block.points() + row_of(p) * block.nx + p.x];
    }
};

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

} // namespace whorl

// Fields at particles, on threads or on streams.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "particles/planewise_gather.hpp"
#include "particles/sampler_parts.hpp"

namespace whorl::particles {

// If the round trip shows rows of points, they are gathered row by row (planewise_gather.hpp), otherwise for
// each batch of planes.
template <class Device, class Real> class SamplerOnThreads : public SamplerParts<Device, Real> {
    using Parts = SamplerParts<Device, Real>;

  public:
    SamplerOnThreads(RoundTrip<Device, Real>& trip, const exchange::Communicator& world, const Box& box,
                     const Interpolation& interpolation, programs::InputTerms inputs);

    void sample(const typename Parts::NamedFields& named_fields, std::span<const double> positions);
    const double* values() const { return values_; }
    using Parts::variables;

  private:
    using Parts::ghosts_, Parts::interpolation_, Parts::ownership_, Parts::sampled_, Parts::trip_;

    void gather_planewise(std::span<const double> positions);
    void gather_by_batches(std::span<const double> positions);
    void sort();
    void gather(const LaneArray<Real>& values);

    std::array<std::vector<Real>, 3> factors_; // of the own kx, ky, kz
    std::unique_ptr<PlanewiseGather<Real>> planewise_;
    // Own particles, then ghost particles.
    std::vector<double> places_, sums_;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint32_t> begins_; // of the cells of each plane in the order, and the end
    const double* values_ = nullptr;
};

// Positions and sums go from rank to rank through the host.
template <class Device, class Real> class SamplerOnStreams : public SamplerParts<Device, Real> {
    using Parts = SamplerParts<Device, Real>;
    using typename Parts::Memory;

  public:
    SamplerOnStreams(RoundTrip<Device, Real>& trip, const exchange::Communicator& world, const Box& box,
                     const Interpolation& interpolation, programs::InputTerms inputs)
        : Parts(trip, world, box, interpolation, std::move(inputs), 1) {}

    void sample(const typename Parts::NamedFields& named_fields, std::span<const double> positions);
    const double* values() const { return sums_.data(); }

  private:
    using Parts::ghosts_, Parts::ownership_;

    void place(std::span<const double> positions);

    // Own particles, then ghost particles.
    device::Buffer<double, Memory> places_, sums_;
};

//   sample(named_fields, positions)   samples the inputs at positions [particle][axis] in the device's
//                                     memory, which are near this rank's own points. The sums do not depend
//                                     on threads. Collective.
//   values()                          the last samples, [particle][variable] in the device's memory.
template <class Device, class Real>
using Sampler =
    std::conditional_t<Device::streams, SamplerOnStreams<Device, Real>, SamplerOnThreads<Device, Real>>;

} // namespace whorl::particles

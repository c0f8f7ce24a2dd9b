// Fields at particles on GPU streams (sampler.hpp). Positions and sums go from rank to rank through the host.
#pragma once

#include <span>
#include <vector>

#include "particles/sampler_parts.hpp"

namespace whorl::particles {

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

} // namespace whorl::particles

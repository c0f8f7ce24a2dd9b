// Fields at particles on threads (sampler.hpp). If the round trip shows rows of points, they are gathered row
// by row (planewise_gather.hpp), otherwise for each batch of planes.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "particles/planewise_gather.hpp"
#include "particles/sampler_parts.hpp"

namespace whorl::particles {

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

} // namespace whorl::particles

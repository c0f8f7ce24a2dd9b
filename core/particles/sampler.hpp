// Fields at particles. A round trip makes the values at all points, or the coefficients of splines. They are
// added to the sums of the particles whose stencils contain them, and no field is kept. If the round trip
// shows rows of points, this is done row by row (planewise_gather.hpp), otherwise for each batch of planes. A
// particle whose stencil has points of other ranks is a ghost particle there (ghosts.hpp).
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "device/cpu.hpp"
#include "particles/gather.hpp"
#include "particles/ghosts.hpp"
#include "particles/planewise_gather.hpp"
#include "particles/sample_pass.hpp"
#include "programs/program_parts.hpp"
#include "roundtrip/roundtrip.hpp"

namespace whorl::particles {

template <class Device, class Real> class Sampler {
    using Memory = typename Device::Memory;

  public:
    // The round trip must be wide enough for the inputs, of which at least one is needed.
    Sampler(RoundTrip<Device, Real>& trip, const exchange::Communicator& world, const Box& box,
            const Interpolation& interpolation, programs::InputTerms inputs);
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;

    int variables() const { return inputs_.count(); }
    const Ownership& ownership() const { return ownership_; }
    const device::Cpu& host() const { return host_; }
    Device& device() { return trip_.device(); }

    // Samples the inputs at positions [particle][axis], which are near this rank's own points. `values` are
    // [particle][variable]. The sums do not depend on threads. Collective.
    void sample(const std::vector<programs::NamedField<Real>>& named_fields,
                std::span<const double> positions, std::span<double> values)
        requires(!Device::Memory::separate);
    // Samples the inputs at `count` particles in the device's memory. `values` gets room for ghost particles,
    // too. Positions and sums go from rank to rank through the host.
    void sample(const std::vector<programs::NamedField<Real>>& named_fields, const double* positions,
                std::size_t count, device::Buffer<double, Memory>& values)
        requires(Device::Memory::separate);

  private:
    void refer_to(const std::vector<programs::NamedField<Real>>& named_fields);
    void gather_planewise(std::span<const double> positions, std::span<double> values);
    void place(std::span<const double> positions);
    void place(const double* positions, std::size_t count);
    void sort();
    void run();
    void gather(const PhysicalBlock& block, const Real* values);
    void gather(const LaneArray<Real>& array, std::int64_t begin, std::int64_t end);
    template <int points> void gather_of(const LaneArray<Real>& array, std::int64_t begin, std::int64_t end);
    void make_tables();

    RoundTrip<Device, Real>& trip_;
    device::Cpu host_;
    Interpolation interpolation_;
    Ownership ownership_;
    Ghosts ghosts_;
    programs::LinearInputs<Memory, Real> inputs_;
    std::array<std::vector<Real>, 3> factors_; // of the own kx, ky, kz
    PrefilterTables<Real> prefilter_;
    std::vector<SampledInput<Real>> sampled_; // at present
    std::unique_ptr<PlanewiseGather<Real>> planewise_;
    LaneArray<Real> array_;
    device::Buffer<Real, Memory> values_; // of the array, for the largest batch
    std::vector<Parity> parities_;
    device::Table<Parity, Memory> parities_there_;
    // Own particles, then ghost particles.
    std::vector<double> places_, sums_;
    std::vector<std::uint32_t> order_;
    std::vector<std::uint32_t> begins_; // of the cells of each plane in the order, and the end
    // Used if the device's memory is not the host's.
    device::Buffer<double, Memory> places_there_;
    double* sums_there_ = nullptr;
    std::int64_t count_there_ = 0;
};

} // namespace whorl::particles

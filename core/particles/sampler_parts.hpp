// The parts that samplers on threads and on streams share. A round trip makes the values at all points, or
// the coefficients of splines. They are added to the sums of the particles whose stencils contain them, and
// no field is kept. A particle whose stencil has points of other ranks is a ghost particle there
// (ghosts.hpp).
#pragma once

#include <functional>
#include <vector>

#include "device/cpu.hpp"
#include "particles/gather.hpp"
#include "particles/ghosts.hpp"
#include "particles/sample_pass.hpp"
#include "programs/program_parts.hpp"
#include "roundtrip/roundtrip.hpp"

namespace whorl::particles {

template <class Device, class Real> class SamplerParts {
  protected:
    using Memory = typename Device::Memory;
    using NamedFields = std::vector<programs::NamedField<Real>>;

  public:
    SamplerParts(const SamplerParts&) = delete;
    SamplerParts& operator=(const SamplerParts&) = delete;

    int variables() const { return inputs_.count(); }
    const Ownership& ownership() const { return ownership_; }
    const device::Cpu& host() const { return host_; }
    Device& device() { return trip_.device(); }

  protected:
    // The round trip must be wide enough for the inputs, of which at least one is needed. Batches have
    // `lanes` rows side by side.
    SamplerParts(RoundTrip<Device, Real>& trip, const exchange::Communicator& world, const Box& box,
                 const Interpolation& interpolation, programs::InputTerms inputs, int lanes);
    void refer_to(const NamedFields& named_fields);
    // Makes the inputs at the points and calls gather(values) for each batch of planes.
    void run(const std::function<void(const LaneArray<Real>&)>& gather);
    // Adds the values of a batch to the sums [particle][variable].
    void add(const LaneArray<Real>& values, const Particles& of, double* sums);

    RoundTrip<Device, Real>& trip_;
    device::Cpu host_;
    Interpolation interpolation_;
    Ownership ownership_;
    Ghosts ghosts_;
    programs::LinearInputs<Memory, Real> inputs_;
    PrefilterTables<Real> prefilter_;
    std::vector<SampledInput<Real>> sampled_; // at present
    std::vector<Parity> parities_;

  private:
    LaneArray<Real> array_;
    device::Buffer<Real, Memory> values_; // of the array, for the largest batch
    device::Table<Parity, Memory> parities_there_;

    template <int points> void add_of(const LaneArray<Real>& values, const Particles& of, double* sums);
};

} // namespace whorl::particles

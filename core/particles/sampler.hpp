// Fields at particles, on threads or on streams.
#pragma once

#include <type_traits>

#include "particles/sampler_on_streams.hpp"
#include "particles/sampler_on_threads.hpp"

namespace whorl::particles {

//   sample(named_fields, positions)   samples the inputs at positions [particle][axis] in the device's
//   memory,
//                                     which are near this rank's own points. The sums do not depend on
//                                     threads. Collective.
//   values()                          the last samples, [particle][variable] in the device's memory.
template <class Device, class Real>
using Sampler =
    std::conditional_t<Device::streams, SamplerOnStreams<Device, Real>, SamplerOnThreads<Device, Real>>;

} // namespace whorl::particles

// The memory of particles, counted before any are there.
#pragma once

#include <cstdint>

#include "particles/needs.hpp"
#include "programs/memory.hpp"

namespace whorl::particles {

// Particles on a rank, and those of its neighbours whose stencils reach its points.
struct Here {
    std::int64_t own = 0, guests = 0;
};

// Of a sampler with stencils of so many points along an axis, and of a cloud with so many vectors for each
// particle and so many numbers of what moves it. Where work is enqueued it is that of the device.
std::int64_t bytes_of_sampler(const Here& here, std::int64_t inputs, std::int64_t points,
                              const programs::Share& share);
std::int64_t bytes_of_cloud(const Here& here, std::int64_t vectors, std::int64_t numbers,
                            const programs::Share& share);
// Of a group on a rank that has its share of them by its points: the cloud, the sampler of the velocity, and
// one of what is read.
std::int64_t bytes_of(const ParticleNeeds& needs, const programs::Share& share);

} // namespace whorl::particles

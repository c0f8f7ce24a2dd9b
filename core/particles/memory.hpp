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

// Of a sampler, and of a cloud with the velocities of its particles. Where work is enqueued it is that of the
// device.
std::int64_t bytes_of_sampler(const Here& here, std::int64_t inputs, const programs::Share& share);
std::int64_t bytes_of_cloud(const Here& here, std::int64_t registers, const programs::Share& share);
// Of a group on a rank that has its share of them by its points: the cloud, the sampler of the velocity, and
// one of what is read.
std::int64_t bytes_of(const ParticleNeeds& needs, const programs::Share& share);

} // namespace whorl::particles

// The memory of particles, computed before a run.
#pragma once

#include <cstdint>

#include "programs/memory.hpp"

namespace whorl::particles {

// The needs of a group of particles, as far as they are known before a run.
struct ParticleNeeds {
    std::int64_t count = 0;     // on all ranks
    std::int64_t vectors = 1;   // of each: variables in the registers of the time scheme, and others
    std::int64_t points = 4;    // of a stencil along an axis
    std::int64_t sampled = 3;   // inputs that move them
    std::int64_t inputs = 0;    // that are read at them
    std::int64_t row_bytes = 0; // that rank 0 keeps until they are written

    // Calls use(name, member) for each; Python uses the same names.
    template <class Use> static void each(const Use& use) {
        use("count", &ParticleNeeds::count);
        use("vectors", &ParticleNeeds::vectors);
        use("points", &ParticleNeeds::points);
        use("sampled", &ParticleNeeds::sampled);
        use("inputs", &ParticleNeeds::inputs);
        use("row_bytes", &ParticleNeeds::row_bytes);
    }
};

// Particles on a rank, and ghost particles: those of neighbours whose stencils reach its points.
struct Here {
    std::int64_t own = 0, ghosts = 0;
};

// Bytes of a sampler of `inputs` inputs, with stencils of `points` points along an axis. On a GPU they are in
// the device's memory, as are those of a particle set.
std::int64_t bytes_of_sampler(const Here& here, std::int64_t inputs, std::int64_t points,
                              const programs::Share& share);
// Bytes of a particle set with `vectors` vectors for each particle.
std::int64_t bytes_of_particle_set(const Here& here, std::int64_t vectors, const programs::Share& share);
// Bytes of a group on a rank: the particle set, the sampler of the velocity, and the sampler of the inputs
// that are read. The rank's share of the particles is assumed to be its share of the points.
std::int64_t bytes_of(const ParticleNeeds& needs, const programs::Share& share);

} // namespace whorl::particles

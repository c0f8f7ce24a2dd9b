// The needs of a group of particles, as far as they are known before a run. Its memory is computed from these
// numbers (particles/memory.hpp).
#pragma once

#include <cstdint>

namespace whorl::particles {

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

} // namespace whorl::particles

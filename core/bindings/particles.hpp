// A group of particles of a flow, whatever its model and precision.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "particles/interpolation.hpp"
#include "programs/program.hpp"
#include "steppers/companion.hpp"

namespace whorl {

struct ParticleOptions {
    programs::InputTerms velocity; // its three components
    std::array<double, 3> drift{}; // a uniform velocity that is added
    particles::Interpolation interpolation;
    int registers = 1; // of the time scheme
};

// All are collective but count() and read().
class ParticleGroup : public Companion {
  public:
    // Adds those of the particles given whose points this rank has; every rank gives all, or some that no
    // other gives. Positions are [particle][register][axis], or the same in every register, [particle][axis].
    virtual void add(std::span<const std::int64_t> ids, std::span<const double> positions) = 0;
    virtual std::size_t count() const = 0;
    virtual std::size_t registers() const = 0;
    virtual std::int64_t bytes() const = 0;
    // Those of this rank, in any order: identities, and unwrapped positions [particle][axis] in a register.
    virtual void read(std::span<std::int64_t> ids, std::span<double> positions, std::size_t number) const = 0;
    // Fields at them now, [particle][input], in the same order. What it takes for some inputs stays for the
    // next time, unless many others follow.
    virtual void sample(const programs::InputTerms& inputs, std::span<double> values) = 0;
};

} // namespace whorl

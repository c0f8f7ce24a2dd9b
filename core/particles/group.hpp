// A group of particles of a flow, whatever its model and precision.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "particles/interpolation.hpp"
#include "particles/kind.hpp"
#include "programs/program.hpp"

namespace whorl {

struct ParticleOptions {
    programs::InputTerms inputs; // fields that the kind samples, the velocity first
    // Inputs may name fields after those of the state: the force on each of `forces`, then the products of
    // `programs`, which are run in order.
    std::vector<std::string> forces;
    std::vector<programs::Program> programs;
    particles::Interpolation interpolation;
    int registers = 1; // of the time scheme
    std::string kind;
    particles::Numbers numbers; // options of the kind
};

// All functions are collective except those about one rank: add(), count(), read() and the properties of a
// group.
class ParticleGroup {
  public:
    virtual ~ParticleGroup() = default;
    // Adds those of the given particles whose points this rank has. Every rank gives all particles, or some
    // that no other rank gives. Values are [particle][register][variable][axis] for the first register or
    // more, of which the last is used for later registers, too. Or they are only positions, [particle][axis].
    // Throws Error if a missing register holds one of the earlier steps that the scheme remembers.
    virtual void add(std::span<const std::int64_t> ids, std::span<const double> values,
                     std::size_t remembered) = 0;
    virtual std::size_t count() const = 0;
    virtual std::size_t registers() const = 0;
    virtual std::size_t variables() const = 0;
    virtual std::int64_t bytes() const = 0;
    // Makes room for `count` particles on this rank.
    virtual void reserve(std::size_t count) = 0;
    // Reads the particles of this rank, in any order: identities, and a variable [particle][axis] in a
    // register.
    virtual void read(std::span<std::int64_t> ids, std::span<double> values, std::size_t number,
                      std::size_t variable) = 0;
    // Sets the velocities of all particles to that of the flow at their positions.
    virtual void follow_flow() = 0;
    // Samples fields at the particles now, [particle][input], in the order of read(). The memory for these
    // inputs is kept for the next call, unless many other inputs are sampled in between.
    virtual void sample(const programs::InputTerms& inputs, std::span<double> values) = 0;
};

} // namespace whorl

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
    programs::InputTerms inputs; // what the kind samples, the velocity first
    // What makes the fields that these name beside those of the state: the force on these fields, and
    // programs one after another.
    std::vector<std::string> forces;
    std::vector<programs::Program> programs;
    particles::Interpolation interpolation;
    int registers = 1; // of the time scheme
    std::string kind;
    particles::Numbers numbers; // options of the kind
};

// All are collective but those of a rank: add(), count(), read() and what a group has.
class ParticleGroup {
  public:
    virtual ~ParticleGroup() = default;
    // Adds those of the particles given whose points this rank has; every rank gives all, or some that no
    // other gives. Values are [particle][register][variable][axis] of the first register or more, of which
    // the last stands for those behind it, or positions alone, [particle][axis]. Throws Error if a register
    // is not given that holds one of the earlier steps which the scheme remembers.
    virtual void add(std::span<const std::int64_t> ids, std::span<const double> values,
                     std::size_t remembered) = 0;
    virtual std::size_t count() const = 0;
    virtual std::size_t registers() const = 0;
    virtual std::size_t variables() const = 0;
    virtual std::int64_t bytes() const = 0;
    // Makes room for so many on this rank.
    virtual void reserve(std::size_t count) = 0;
    // Those of this rank, in any order: identities, and a variable [particle][axis] in a register.
    virtual void read(std::span<std::int64_t> ids, std::span<double> values, std::size_t number,
                      std::size_t variable) = 0;
    // Sets the velocities of all to that of the flow where they are.
    virtual void follow_flow() = 0;
    // Fields at them now, [particle][input], in the same order. What it takes for some inputs stays for the
    // next time, unless many others follow.
    virtual void sample(const programs::InputTerms& inputs, std::span<double> values) = 0;
};

} // namespace whorl

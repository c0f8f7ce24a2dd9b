// The particles of a group on this rank: their identities, and their variables in each register of the time
// scheme. Register 0 is the present state. The variables are the position and, for some kinds, the velocity.
// Positions are unwrapped: they continue beyond the box.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/macros.hpp"
#include "device/cpu.hpp"
#include "exchange/neighbours.hpp"
#include "particles/ownership.hpp"
#include "steppers/scheme.hpp"

namespace whorl::particles {

// Calls work(i) for i = 0, ..., count - 1, in blocks that the host's threads share.
template <class Work> void in_parts(const device::Cpu& host, std::size_t count, const Work& work) {
    constexpr std::size_t part = 1024;
    host.each(static_cast<std::int64_t>((count + part - 1) / part), [&](int, std::int64_t number) {
        const std::size_t first = static_cast<std::size_t>(number) * part;
        for (std::size_t i = first; i < std::min(first + part, count); ++i) work(i);
    });
}

// The number of a particle in its group, below 2^32. Files store it with 64 bits.
using Identity = std::uint32_t;

// Throws Error if the number is not an identity.
inline Identity identity(std::int64_t number) {
    constexpr std::int64_t last = std::numeric_limits<Identity>::max();
    WHORL_REQUIRE(number >= 0 && number <= last, "the identity of a particle is from 0 to " +
                                                     std::to_string(last) + ", not " +
                                                     std::to_string(number) + "; take several groups.");
    return static_cast<Identity>(number);
}

class ParticleSet {
  public:
    // The registers of a variable, [particle][axis] each.
    using Registers = std::array<double*, Stage::registers>;

    // Each particle has `variables` vectors in every register, and `kept` vectors that last for a step.
    ParticleSet(int registers, int variables, int kept)
        : registers_(static_cast<std::size_t>(registers)), variables_(static_cast<std::size_t>(variables)),
          vectors_(registers_ * variables_ + static_cast<std::size_t>(kept)) {}

    std::size_t count() const { return ids_.size(); }
    std::size_t registers() const { return registers_; }
    std::size_t variables() const { return variables_; }
    std::span<const Identity> ids() const { return ids_; }
    std::span<const double> positions() const { return vectors_.front(); } // [particle][axis]
    std::span<const double> values(std::size_t number, std::size_t variable) const {
        return vectors_[number * variables_ + variable];
    }
    Registers of(std::size_t variable) {
        Registers all{};
        for (std::size_t r = 0; r < registers_; ++r) all[r] = vectors_[r * variables_ + variable].data();
        return all;
    }
    double* kept() { return vectors_.back().data(); }
    // One of vectors(), [particle][axis]: a variable of a register, or a kept vector.
    std::span<double> vector(std::size_t number) { return vectors_[number]; }
    // The number of vectors of a particle.
    std::size_t vectors() const { return vectors_.size(); }
    void reserve(std::size_t count);

    // Adds a particle with its variables in every register, [register][variable][axis], and its kept vectors,
    // which are zero if they are not given.
    void add(Identity id, std::span<const double> values);
    // Puts the particles into an order that contains all of them. Numbers beyond their count are skipped.
    void reorder(std::span<const std::uint32_t> order);
    // Migrates every particle to the rank that has the points around it. Particles arrive in the order of the
    // ranks that send them and keep their order within a rank. Collective.
    void migrate(const Ownership& ownership, const exchange::Neighbours& neighbours,
                 const exchange::Communicator& world);
    // Bytes of a particle.
    std::size_t bytes_each() const { return sizeof(Identity) + 3 * vectors_.size() * sizeof(double); }

  private:
    std::size_t registers_, variables_;
    std::vector<Identity> ids_;
    std::vector<std::vector<double>> vectors_; // [register][variable], then kept vectors

    // Removes the particles that other ranks own and returns them packed, by these ranks.
    std::map<int, std::vector<char>> take_leaving(const Ownership& ownership);
};

// Loops over particles: in blocks on the host's threads, or as rows of a GPU kernel.
template <class Work> struct WorkKernel {
    static constexpr int together = 256;
    Work work;
    std::int64_t count = 0;

    struct Row {
        const WorkKernel& kernel;
        std::int64_t first;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            kernel.work(static_cast<std::size_t>(first + i));
        }
    };
    std::int64_t rows() const { return (count + together - 1) / together; }
    WHORL_INLINE Row row(std::int64_t r) const {
        const std::int64_t first = r * together, left = count - first;
        return {*this, first, static_cast<int>(left < together ? left : together)};
    }
};

// Calls work(i), which is copied, for i = 0, ..., count - 1. All calls are done when it returns.
template <class Device, class Work>
void for_all(Device& device, const device::Cpu& host, std::size_t count, const Work& work) {
    if constexpr (Device::streams) {
        if (count == 0) return;
        const WorkKernel<Work> kernel{work, static_cast<std::int64_t>(count)};
        device.over(kernel.rows(), kernel);
        device.finish();
    } else {
        in_parts(host, count, work);
    }
}

} // namespace whorl::particles

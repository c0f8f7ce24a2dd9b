// The particles of a group that are on this rank: their identities, and the positions in the registers of the
// time scheme, of which the first is the present one. Positions are unwrapped: they go on beyond the box.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "device/cpu.hpp"
#include "exchange/neighbours.hpp"
#include "particles/territory.hpp"
#include "steppers/scheme.hpp"

namespace whorl::particles {

// Calls work(i) for all of so many, some of them one after another on each thread.
template <class Work> void in_parts(const device::Cpu& host, std::size_t count, const Work& work) {
    constexpr std::size_t part = 1024;
    host.each(static_cast<std::int64_t>((count + part - 1) / part), [&](int, std::int64_t number) {
        const std::size_t first = static_cast<std::size_t>(number) * part;
        for (std::size_t i = first; i < std::min(first + part, count); ++i) work(i);
    });
}

class Cloud {
  public:
    explicit Cloud(int registers) : registers_(static_cast<std::size_t>(registers)) {}

    std::size_t count() const { return ids_.size(); }
    std::size_t registers() const { return registers_.size(); }
    std::span<const std::int64_t> ids() const { return ids_; }
    std::span<const double> positions() const { return registers_.front(); } // [particle][axis]
    std::span<const double> positions(std::size_t r) const { return registers_[r]; }

    // A particle with its position in every register.
    void add(std::int64_t id, std::span<const double> positions);
    // r_i <- sum_j m[i][j] r_j + v[i] dt (velocity + drift), of velocities [particle][axis].
    void advance(const device::Cpu& host, const Stage& stage, double dt, std::span<const double> velocities,
                 const std::array<double, 3>& drift);
    // Takes the particles in an order, which has all of them, and numbers beyond their count that are left
    // out.
    void reorder(std::span<const std::uint32_t> order);
    // Every particle goes to the rank that has the points around it, in the order of particles and of ranks.
    // Collective.
    void settle(const Territory& territory, const exchange::Neighbours& neighbours,
                const exchange::Communicator& world);
    // Bytes of a particle.
    std::size_t bytes_each() const { return sizeof(std::int64_t) + 3 * registers_.size() * sizeof(double); }

  private:
    std::vector<std::int64_t> ids_;
    std::vector<std::vector<double>> registers_;

    // Those that belong elsewhere, packed, and the ranks they go to; they are taken away.
    std::vector<char> take_leaving(const Territory& territory, std::vector<int>& ranks);
    void keep_only(const std::vector<bool>& stays);
    void unpack(std::span<const char> packed);
};

} // namespace whorl::particles

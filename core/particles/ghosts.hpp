// Ghost particles: particles whose stencils have points of other ranks. Their rank sends their positions to
// these neighbours, which return their shares of the sums.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "exchange/neighbours.hpp"
#include "particles/ownership.hpp"

namespace whorl::particles {

class Ghosts {
  public:
    Ghosts(const exchange::Communicator& world, const Ownership& ownership,
           const Interpolation& interpolation);

    const Ownership& ownership() const { return ownership_; }
    const exchange::Neighbours& neighbours() const { return neighbours_; }
    // Sends the positions [particle][axis] of those particles of this rank that need neighbours, and receives
    // the neighbours' ones. The stencils are on these axes. Collective, like give_back().
    void exchange(const std::array<GridAxis, 3>& axes, std::span<const double> positions);
    // The positions of the neighbours' particles, [particle][axis].
    std::span<const double> positions() const { return positions_; }
    // Returns to the neighbours the sums [particle][variable] of their particles. Adds the sums that
    // neighbours return to those of this rank, in the order of the neighbours.
    void give_back(std::span<const double> of_ghosts, std::span<double> own, std::size_t variables) const;

  private:
    const Ownership& ownership_;
    Interpolation interpolation_;
    exchange::Neighbours neighbours_;
    std::vector<int> number_of_;         // among the neighbours, by rank
    std::vector<int> sent_, received_;   // by neighbours
    std::vector<std::uint32_t> of_sent_; // particles, neighbour after neighbour
    std::vector<double> positions_;
};

} // namespace whorl::particles

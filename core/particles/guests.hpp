// Particles whose stencils have points of other ranks: their positions go to these neighbours, which give
// their shares of the sums back.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "exchange/neighbours.hpp"
#include "particles/territory.hpp"

namespace whorl::particles {

class Guests {
  public:
    Guests(const exchange::Communicator& world, const Territory& territory,
           const Interpolation& interpolation);

    const exchange::Neighbours& neighbours() const { return neighbours_; }
    // Sends positions [particle][axis] of this rank, whose stencils are on these axes, and receives those
    // of neighbours. Called by all ranks, and so is the next.
    void exchange(const std::array<GridAxis, 3>& axes, std::span<const double> positions);
    // Of the neighbours' particles, [particle][axis].
    std::span<const double> positions() const { return positions_; }
    // Gives back the sums of the neighbours' particles, [particle][variable], and adds what they give to
    // those of this rank, in the order of the neighbours.
    void give_back(std::span<const double> of_guests, std::span<double> own, std::size_t variables) const;

  private:
    const Territory& territory_;
    Interpolation interpolation_;
    exchange::Neighbours neighbours_;
    std::vector<int> number_of_;         // among the neighbours, by rank
    std::vector<int> sent_, received_;   // by neighbours
    std::vector<std::uint32_t> of_sent_; // particles, one neighbour behind another
    std::vector<double> positions_;
};

} // namespace whorl::particles

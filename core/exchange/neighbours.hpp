// Items of some bytes between a rank and its neighbours, as many as each has for the other.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "exchange/communicator.hpp"

namespace whorl::exchange {

class Neighbours {
  public:
    // Of each of these ranks this one is a neighbour, too.
    Neighbours(const Communicator& world, std::vector<int> ranks) : world_(world), ranks_(std::move(ranks)) {}

    const std::vector<int>& ranks() const { return ranks_; }
    std::size_t count() const { return ranks_.size(); }

    // Of each neighbour the count that it gives for this rank. Called by all ranks, and so is the next.
    std::vector<int> counts_for_this(std::span<const int> counts) const;
    // Sends so many items to each neighbour, one behind another in their order, and receives likewise.
    void exchange(const void* from, std::span<const int> sent, void* to, std::span<const int> received,
                  std::size_t bytes) const;

  private:
    const Communicator& world_;
    std::vector<int> ranks_;
};

} // namespace whorl::exchange

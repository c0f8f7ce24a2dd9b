// An exchange of items of some bytes between a rank and its neighbours, with any number of items for each.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "exchange/communicator.hpp"

namespace whorl::exchange {

class Neighbours {
  public:
    // This rank is a neighbour of each of these ranks, too.
    Neighbours(const Communicator& world, std::vector<int> ranks) : world_(world), ranks_(std::move(ranks)) {}

    const std::vector<int>& ranks() const { return ranks_; }
    std::size_t count() const { return ranks_.size(); }

    // The count that each neighbour gives for this rank. Called by all ranks, like exchange().
    std::vector<int> counts_for_this(std::span<const int> counts) const;
    // Sends `sent` items to each neighbour, which follow each other in the order of neighbours, and receives
    // likewise.
    void exchange(const void* from, std::span<const int> sent, void* to, std::span<const int> received,
                  std::size_t bytes) const;

  private:
    const Communicator& world_;
    std::vector<int> ranks_;
};

// An exchange of items of some bytes between all ranks, with any number of items for each pair.

// The count that each rank gives for this one. Collective, like exchange_items().
std::vector<int> counts_for_this(const Communicator& world, std::span<const int> counts);

// Sends `sent` items to each rank, which follow each other in memory, and receives likewise.
void exchange_items(const Communicator& world, const void* from, std::span<const int> sent, void* to,
                    std::span<const int> received, std::size_t bytes);

} // namespace whorl::exchange

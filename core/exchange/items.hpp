// An exchange of items of some bytes between all ranks, with any number of items for each pair.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "exchange/communicator.hpp"

namespace whorl::exchange {

// The count that each rank gives for this one. Collective, like exchange_items().
std::vector<int> counts_for_this(const Communicator& world, std::span<const int> counts);

// Sends `sent` items to each rank, which follow each other in memory, and receives likewise.
void exchange_items(const Communicator& world, const void* from, std::span<const int> sent, void* to,
                    std::span<const int> received, std::size_t bytes);

} // namespace whorl::exchange

// Items of some bytes from each rank to each other, as many as they ask for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "exchange/communicator.hpp"

namespace whorl::exchange {

// Of each rank the count that it gives for this one. Collective, and so is the next.
std::vector<int> counts_for_this(const Communicator& world, std::span<const int> counts);

// Sends so many items to each rank, one behind another, and receives likewise.
void exchange_items(const Communicator& world, const void* from, std::span<const int> sent, void* to,
                    std::span<const int> received, std::size_t bytes);

} // namespace whorl::exchange

#include "exchange/items.hpp"

#include <numeric>

#include "exchange/neighbours.hpp"

namespace whorl::exchange {

std::vector<int> counts_for_this(const Communicator& world, std::span<const int> counts) {
    std::vector<int> others(counts.size());
    WHORL_MPI(MPI_Alltoall(counts.data(), 1, MPI_INT, others.data(), 1, MPI_INT, world.handle()));
    return others;
}

void exchange_items(const Communicator& world, const void* from, std::span<const int> sent, void* to,
                    std::span<const int> received, std::size_t bytes) {
    std::vector<int> all(static_cast<std::size_t>(world.size()));
    std::iota(all.begin(), all.end(), 0);
    Neighbours(world, std::move(all)).exchange(from, sent, to, received, bytes);
}

} // namespace whorl::exchange

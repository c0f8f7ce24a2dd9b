#include "exchange/items.hpp"

#include <numeric>

namespace whorl::exchange {

namespace {
std::vector<int> begins(std::span<const int> counts) {
    std::vector<int> first(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), first.begin(), 0);
    return first;
}
} // namespace

std::vector<int> counts_for_this(const Communicator& world, std::span<const int> counts) {
    std::vector<int> others(counts.size());
    WHORL_MPI(MPI_Alltoall(counts.data(), 1, MPI_INT, others.data(), 1, MPI_INT, world.handle()));
    return others;
}

void exchange_items(const Communicator& world, const void* from, std::span<const int> sent, void* to,
                    std::span<const int> received, std::size_t bytes) {
    MPI_Datatype item = MPI_DATATYPE_NULL;
    WHORL_MPI(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &item));
    WHORL_MPI(MPI_Type_commit(&item));
    WHORL_MPI(MPI_Alltoallv(from, sent.data(), begins(sent).data(), item, to, received.data(),
                            begins(received).data(), item, world.handle()));
    WHORL_MPI(MPI_Type_free(&item));
}

} // namespace whorl::exchange

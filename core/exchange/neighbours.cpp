#include "exchange/neighbours.hpp"

#include <cstring>
#include <numeric>

namespace whorl::exchange {

std::vector<int> Neighbours::counts_for_this(std::span<const int> counts) const {
    std::vector<int> received(ranks_.size());
    const std::vector<int> ones(ranks_.size(), 1);
    exchange(counts.data(), ones, received.data(), ones, sizeof(int));
    return received;
}

void Neighbours::exchange(const void* from, std::span<const int> sent, void* to,
                          std::span<const int> received, std::size_t bytes) const {
    constexpr int tag = 0;
    if (ranks_.empty()) return;
    MPI_Datatype item = MPI_DATATYPE_NULL;
    WHORL_MPI(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &item));
    WHORL_MPI(MPI_Type_commit(&item));
    std::vector<MPI_Request> requests;
    auto* into = static_cast<char*>(to);
    for (std::size_t n = 0; n < ranks_.size(); ++n) {
        if (received[n] > 0)
            WHORL_MPI(MPI_Irecv(into, received[n], item, ranks_[n], tag, world_.handle(),
                                &requests.emplace_back()));
        into += static_cast<std::size_t>(received[n]) * bytes;
    }
    const auto* out = static_cast<const char*>(from);
    for (std::size_t n = 0; n < ranks_.size(); ++n) {
        if (sent[n] > 0)
            WHORL_MPI(
                MPI_Isend(out, sent[n], item, ranks_[n], tag, world_.handle(), &requests.emplace_back()));
        out += static_cast<std::size_t>(sent[n]) * bytes;
    }
    WHORL_MPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    WHORL_MPI(MPI_Type_free(&item));
}

std::vector<int> counts_for_this(const Communicator& world, std::span<const int> counts) {
    std::vector<int> others(counts.size());
    WHORL_MPI(MPI_Alltoall(counts.data(), 1, MPI_INT, others.data(), 1, MPI_INT, world.handle()));
    return others;
}

void exchange_items(const Communicator& world, const void* from, std::span<const int> sent, void* to,
                    std::span<const int> received, std::size_t bytes) {
    if (world.size() == 1) {
        if (sent.front() > 0) std::memcpy(to, from, static_cast<std::size_t>(sent.front()) * bytes);
        return;
    }
    std::vector<int> all(static_cast<std::size_t>(world.size()));
    std::iota(all.begin(), all.end(), 0);
    Neighbours(world, std::move(all)).exchange(from, sent, to, received, bytes);
}

} // namespace whorl::exchange

#include "exchange/node_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace whorl::exchange {

namespace {
// Those of the root communicator, in the order of the node's ranks.
std::vector<int> root_ranks(MPI_Comm node, int own) {
    int size = 0;
    WHORL_MPI(MPI_Comm_size(node, &size));
    std::vector<int> ranks(static_cast<std::size_t>(size));
    WHORL_MPI(MPI_Allgather(&own, 1, MPI_INT, ranks.data(), 1, MPI_INT, node));
    return ranks;
}

// By all threads, so that pages lie near their users.
void zero(char* memory, std::int64_t bytes) {
    constexpr std::int64_t piece = 1 << 20;
#pragma omp parallel for schedule(static)
    for (std::int64_t begin = 0; begin < bytes; begin += piece)
        std::memset(memory + begin, 0, static_cast<std::size_t>(std::min(piece, bytes - begin)));
}

// Apart in memory, so that each rank's pages are its own.
MPI_Info apart() {
    MPI_Info info = MPI_INFO_NULL;
    WHORL_MPI(MPI_Info_create(&info));
    WHORL_MPI(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    return info;
}
} // namespace

NodeMemory::NodeMemory(const Communicator& world, std::size_t bytes)
    : bytes_(bytes), of_(static_cast<std::size_t>(world.size()), nullptr) {
    WHORL_MPI(MPI_Comm_split_type(world.handle(), MPI_COMM_TYPE_SHARED, world.rank(), MPI_INFO_NULL, &node_));
    WHORL_MPI(MPI_Comm_set_errhandler(node_, MPI_ERRORS_RETURN));
    MPI_Info info = apart();
    const int code = MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, info, node_,
                                             static_cast<void*>(&data_), &window_);
    WHORL_MPI(MPI_Info_free(&info));
    const bool refused = world.any(code != MPI_SUCCESS);
    if (refused && window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
    WHORL_REQUIRE(!refused,
                  "a node refused " + std::to_string(bytes) +
                      " bytes a rank of memory its ranks share: make room where it keeps such memory "
                      "(/dev/shm), or choose transport = \"rma\".");
    const std::vector<int> ranks = root_ranks(node_, world.rank());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        MPI_Aint size = 0;
        int unit = 0;
        WHORL_MPI(MPI_Win_shared_query(window_, static_cast<int>(i), &size, &unit,
                                       static_cast<void*>(&of_[static_cast<std::size_t>(ranks[i])])));
    }
    WHORL_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
    zero(static_cast<char*>(data_), static_cast<std::int64_t>(bytes));
    world.barrier();
}

NodeMemory::~NodeMemory() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (window_ == MPI_WIN_NULL || finalized) return;
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
    MPI_Comm_free(&node_);
}

void NodeMemory::synchronise() const { WHORL_MPI(MPI_Win_sync(window_)); }

} // namespace whorl::exchange

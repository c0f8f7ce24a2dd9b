#include "exchange/node_memory.hpp"

#include <cstdint>
#include <limits>

#include <sys/statvfs.h>

#include "device/buffer.hpp"

namespace whorl::exchange {

namespace {
// Free bytes of /dev/shm, where Linux keeps shared memory; unlimited if it does not exist.
double room_to_share() {
    struct statvfs room{};
    if (statvfs("/dev/shm", &room) != 0) return std::numeric_limits<double>::infinity();
    return static_cast<double>(room.f_bavail) * static_cast<double>(room.f_frsize);
}
constexpr double to_spare = 1.1; // Open MPI requests 5 % more than it uses, and hangs if that is not free

// Not contiguous, so that each rank has its own pages.
MPI_Info apart() {
    MPI_Info info = MPI_INFO_NULL;
    WHORL_MPI(MPI_Info_create(&info));
    WHORL_MPI(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    return info;
}
// MPI guarantees an alignment of 8 bytes only. Processes map whole pages, so all find the same aligned
// address.
constexpr std::uintptr_t alignment = 64;
void* aligned(void* memory) {
    return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(memory) + alignment - 1) / alignment *
                                   alignment);
}
} // namespace

NodeMemory::NodeMemory(const Communicator& world, std::size_t bytes, int threads)
    : node_(world.node()), bytes_(bytes), of_(static_cast<std::size_t>(world.size()), nullptr) {
    double of_node = static_cast<double>(bytes + alignment);
    node_.sum({&of_node, 1});
    bool refused = world.any(to_spare * of_node > room_to_share());
    if (!refused) {
        MPI_Info info = apart();
        const int code = MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes + alignment), 1, info,
                                                 node_.handle(), static_cast<void*>(&data_), &window_);
        WHORL_MPI(MPI_Info_free(&info));
        refused = world.any(code != MPI_SUCCESS);
        if (refused && window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
    }
    WHORL_REQUIRE(!refused, "a node cannot provide the memory that its ranks share, " +
                                std::to_string(static_cast<std::int64_t>(of_node)) +
                                " bytes and a tenth more on this one: free space in /dev/shm, or choose "
                                "a transport that shares none, such as \"alltoall\" or \"pairwise\".");
    const std::vector<int> ranks = node_.ranks_in_root();
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        MPI_Aint size = 0;
        int unit = 0;
        WHORL_MPI(MPI_Win_shared_query(window_, static_cast<int>(i), &size, &unit,
                                       static_cast<void*>(&of_[static_cast<std::size_t>(ranks[i])])));
        void*& of_rank = of_[static_cast<std::size_t>(ranks[i])];
        of_rank = aligned(of_rank);
    }
    data_ = aligned(data_);
    WHORL_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
    world.handles().keep([window = window_]() mutable {
        WHORL_MPI(MPI_Win_unlock_all(window));
        WHORL_MPI(MPI_Win_free(&window));
    });
    device::zero(data_, bytes, threads);
    world.barrier();
}

void NodeMemory::synchronise() const { WHORL_MPI(MPI_Win_sync(window_)); }

} // namespace whorl::exchange

#include "exchange/node_memory.hpp"

#include <sys/statvfs.h>

#include "device/buffer.hpp"

namespace whorl::exchange {

namespace {
// Where Linux keeps memory that processes share; without a twentieth to spare Open MPI hangs instead of
// refusing. What is not there has room.
bool has_room(double bytes) {
    struct statvfs room{};
    if (statvfs("/dev/shm", &room) != 0) return true;
    return 1.1 * bytes <= static_cast<double>(room.f_bavail) * static_cast<double>(room.f_frsize);
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
    : node_(world.node()), bytes_(bytes), of_(static_cast<std::size_t>(world.size()), nullptr) {
    double of_node = static_cast<double>(bytes);
    node_.sum({&of_node, 1});
    bool refused = world.any(!has_room(of_node));
    if (!refused) {
        MPI_Info info = apart();
        const int code = MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, info, node_.handle(),
                                                 static_cast<void*>(&data_), &window_);
        WHORL_MPI(MPI_Info_free(&info));
        refused = world.any(code != MPI_SUCCESS);
        if (refused && window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
    }
    WHORL_REQUIRE(!refused,
                  "a node refused " + std::to_string(bytes) +
                      " bytes a rank of memory its ranks share: make room where it keeps such memory "
                      "(/dev/shm), or choose transport = \"rma\".");
    const std::vector<int> ranks = node_.ranks_in_root();
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        MPI_Aint size = 0;
        int unit = 0;
        WHORL_MPI(MPI_Win_shared_query(window_, static_cast<int>(i), &size, &unit,
                                       static_cast<void*>(&of_[static_cast<std::size_t>(ranks[i])])));
    }
    WHORL_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
    device::zero(data_, bytes);
    world.barrier();
}

NodeMemory::~NodeMemory() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (window_ == MPI_WIN_NULL || finalized) return;
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
}

void NodeMemory::synchronise() const { WHORL_MPI(MPI_Win_sync(window_)); }

} // namespace whorl::exchange

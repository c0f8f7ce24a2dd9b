// Memory of a rank that the other ranks of its node can read and write directly.
#pragma once

#include <cstddef>
#include <vector>

#include "exchange/communicator.hpp"

namespace whorl::exchange {

class NodeMemory {
  public:
    // The memory is zeroed by `threads` threads, aligned to a cache line, and on separate pages for each
    // rank. Collective over `world`. Throws Error on all ranks if the shared memory of one node is too small.
    // The memory exists until the handles of `world` are closed.
    NodeMemory(const Communicator& world, std::size_t bytes, int threads);
    NodeMemory(const NodeMemory&) = delete;
    NodeMemory& operator=(const NodeMemory&) = delete;

    void* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }
    // The memory of a rank of the root communicator; null if that rank is on another node.
    void* of(int root_rank) const { return of_[static_cast<std::size_t>(root_rank)]; }
    // Earlier writes are visible to ranks that synchronise after they have received a message about them.
    void synchronise() const;

  private:
    Communicator node_;
    MPI_Win window_ = MPI_WIN_NULL;
    void* data_ = nullptr;
    std::size_t bytes_;
    std::vector<void*> of_;
};

} // namespace whorl::exchange

// Memory of a rank that the other ranks of its node read and write as their own.
#pragma once

#include <cstddef>
#include <vector>

#include "exchange/communicator.hpp"

namespace whorl::exchange {

class NodeMemory {
  public:
    // Zeroed by so many threads, on a cache line, each rank's on pages of its own; collective over `world`.
    // Throws Error on all ranks where one node's shared memory is too small. There until `world`'s handles
    // are closed.
    NodeMemory(const Communicator& world, std::size_t bytes, int threads);
    NodeMemory(const NodeMemory&) = delete;
    NodeMemory& operator=(const NodeMemory&) = delete;

    void* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }
    // Of that rank of the root communicator; null where it is on another node.
    void* of(int root_rank) const { return of_[static_cast<std::size_t>(root_rank)]; }
    // What was written before is seen by those who synchronise after a message told them to.
    void synchronise() const;

  private:
    Communicator node_;
    MPI_Win window_ = MPI_WIN_NULL;
    void* data_ = nullptr;
    std::size_t bytes_;
    std::vector<void*> of_;
};

} // namespace whorl::exchange

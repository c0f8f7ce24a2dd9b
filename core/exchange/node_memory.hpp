// Memory of a rank that the other ranks of its node can read and write directly.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "device/buffer.hpp"
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

// A buffer that peers write to: a rank's own memory, or memory shared within its node.
template <class T, class Memory> class Landing {
  public:
    Landing() = default;
    // The memory is zeroed by `threads` threads. Collective over `world` if it is shared.
    Landing(const Communicator& world, std::size_t size, bool shared, int threads) {
        if (shared)
            node_ = std::make_unique<NodeMemory>(world, size * sizeof(T), threads);
        else
            own_ = Own(size, threads);
    }
    T* data() { return node_ ? static_cast<T*>(node_->data()) : own_.data(); }
    std::size_t bytes() const { return node_ ? node_->bytes() : own_.bytes(); }
    const NodeMemory* node() const { return node_.get(); }

  private:
    using Own = device::Buffer<T, typename Memory::Exchanged>;
    Own own_;
    std::unique_ptr<NodeMemory> node_;
};

} // namespace whorl::exchange

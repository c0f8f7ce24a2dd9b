// Puts into the peers' memory: MPI_Put, or a copy if the peer's memory is shared within the node.
#pragma once

#include <cstdint>
#include <vector>

#include "exchange/transport.hpp"

namespace whorl::exchange {

// Passive target: a window stays open, and barriers separate the times when it may be written and read.
class Rma : public Transport {
  public:
    // `threads` threads copy; with 0, where the host does not reach the buffers, MPI does. Collective. Throws
    // Error if a message is too long for MPI's 32-bit counts.
    Rma(const Communicator& communicator, std::vector<Pattern> batches, int element, int threads);
    void attach(void* receive, const NodeMemory* shared) override;
    void start(int batch, void* send, void* receive) override;
    void wait(int batch) override;
    bool by_chunk(Chunks& chunks) override {
        chunks_ = &chunks;
        return true;
    }

  protected:
    // If `locked`, all peers are locked for the lifetime of the window; otherwise the derived class opens
    // epochs. The window stays open until the handles of the communicator are closed.
    void open_window(void* receive, bool locked);
    void put(int batch, const void* send, void* receive);
    // Marks the chunks of all peers as arrived, for a batch has arrived as a whole.
    void tell_arrived(int batch);
    MPI_Win window() const { return window_; }

  private:
    Communicator communicator_;
    std::vector<int> ranks_; // of the peers, in the window's communicator
    int element_, threads_;
    std::vector<Pattern> batches_;
    std::int64_t end_ = 0;                          // of the received chunks
    std::vector<std::vector<std::int64_t>> places_; // [batch][peer] of own chunks in the peer's memory
    const NodeMemory* shared_ = nullptr;
    MPI_Win window_ = MPI_WIN_NULL;
    Chunks* chunks_ = nullptr;
};

// Active target: fences among all ranks begin and end every batch.
class FencedRma final : public Rma {
  public:
    using Rma::Rma;
    void attach(void* receive, const NodeMemory* shared) override;
    void start(int batch, void* send, void* receive) override;
    void wait(int batch) override;
};

} // namespace whorl::exchange

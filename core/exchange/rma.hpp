// Puts into the peers' memory: MPI_Put, or a copy where the peer's memory is the node's.
#pragma once

#include <cstdint>
#include <vector>

#include "exchange/transport.hpp"

namespace whorl::exchange {

// Passive target: a window stays open, barriers say when what may be written and read.
class Rma : public Transport {
  public:
    // So many threads copy. Collective. Throws Error where a message is too long for MPI's 32-bit counts.
    Rma(const Communicator& communicator, std::vector<Pattern> batches, int element, int threads);
    void attach(void* receive, const NodeMemory* shared) override;
    void start(int batch, void* send, void* receive) override;
    void wait(int batch) override;

  protected:
    // With a lock of all peers that lasts; without one the derived class opens epochs. Open until the handles
    // of the communicator are closed.
    void open_window(void* receive, bool locked);
    void put(int batch, const void* send, void* receive);
    MPI_Win window() const { return window_; }

  private:
    Communicator communicator_;
    std::vector<int> ranks_; // of the peers, among those of the window
    int element_, threads_;
    std::vector<Pattern> batches_;
    std::int64_t end_ = 0;                          // of all that is received
    std::vector<std::vector<std::int64_t>> places_; // [batch][peer] in its memory, where own chunks go
    const NodeMemory* shared_ = nullptr;
    MPI_Win window_ = MPI_WIN_NULL;
};

// Active target: fences of all ranks begin and end every batch.
class FencedRma final : public Rma {
  public:
    using Rma::Rma;
    void attach(void* receive, const NodeMemory* shared) override;
    void start(int batch, void* send, void* receive) override;
    void wait(int batch) override;
};

} // namespace whorl::exchange

#pragma once

#include "exchange/transport.hpp"

namespace whorl::exchange {

// A message to and from each peer, posted in the order of their distance. In round i rank r sends to rank r +
// i and receives from rank r - i, so that no rank is the first target of all others.
class Pairwise final : public Transport {
  public:
    // `threads` threads copy the chunk that a rank sends to itself; with 0, where the host does not reach the
    // buffers, it is a message, too.
    Pairwise(const Communicator& communicator, std::vector<Pattern> batches, int element, int threads);
    void start(int batch, void* send, void* receive) override;
    void wait(int batch) override;
    void progress() override;
    bool by_chunk(Chunks& chunks) override {
        chunks_ = &chunks;
        return true;
    }

  private:
    MPI_Comm handle_;
    int rank_, size_, element_, threads_;
    std::vector<Pattern> batches_;
    std::vector<std::vector<MPI_Request>> requests_; // [batch], receives first
    std::vector<std::vector<int>> sources_;          // [batch], of receives
    Chunks* chunks_ = nullptr;
};

} // namespace whorl::exchange

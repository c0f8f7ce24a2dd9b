#pragma once

#include "exchange/transport.hpp"

namespace whorl::exchange {

// One-sided: a rank puts its chunks where its peers want them, in one window over the receive buffer that
// stays open (passive target). A barrier before the puts says that the peers' part of it is free, one after
// them that all have arrived.
class Rma final : public Transport {
  public:
    Rma(const Communicator& communicator, std::vector<Pattern> batches, int element);
    ~Rma() override;
    void attach(void* receive) override;
    void start(int batch, void* send, void* receive) override;
    void wait(int batch) override;

  private:
    MPI_Comm handle_, root_;
    std::vector<int> ranks_; // of the peers, among all ranks
    int rank_, size_, element_;
    std::vector<Pattern> batches_;
    std::vector<std::vector<std::int64_t>> places_; // [batch][peer] of this rank's chunk in the peer's window
    std::int64_t begin_ = 0, end_ = 0;              // of the window in the receive buffer
    MPI_Win window_ = MPI_WIN_NULL;
};

} // namespace whorl::exchange

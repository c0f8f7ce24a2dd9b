#pragma once

#include "exchange/counts.hpp"
#include "exchange/transport.hpp"

namespace whorl::exchange {

// One blocking MPI_Alltoallv for each batch; nothing overlaps.
class AllToAll final : public Transport {
  public:
    AllToAll(const Communicator& communicator, std::vector<Pattern> batches, int element);
    void start(int batch, void* send, void* receive) override;
    void wait(int) override {}

  private:
    MPI_Comm handle_;
    int element_;
    std::vector<Counts> batches_;
};

} // namespace whorl::exchange

#pragma once

#include "exchange/counts.hpp"
#include "exchange/transport.hpp"

namespace whorl::exchange {

// A non-blocking MPI_Ialltoallv a batch: it travels while batches before and after it are worked on.
class Overlap final : public Transport {
  public:
    Overlap(const Communicator& communicator, std::vector<Pattern> batches, int element);
    void start(int batch, void* send, void* receive) override;
    void wait(int batch) override;
    void progress() override;

  private:
    MPI_Comm handle_;
    int element_;
    std::vector<Counts> batches_;
    std::vector<MPI_Request> requests_;
};

} // namespace whorl::exchange

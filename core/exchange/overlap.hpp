#pragma once

#include "exchange/counts.hpp"
#include "exchange/requests.hpp"
#include "exchange/transport.hpp"

namespace whorl::exchange {

// A non-blocking MPI_Ialltoallv for each batch, which travels while other batches are transformed.
class Overlap final : public Transport {
  public:
    Overlap(const Communicator& communicator, std::vector<Pattern> batches, int element);
    void start(int batch, void* send, void* receive) override;
    void wait(int batch) override { requests_.wait(batch); }
    void progress() override { requests_.progress(); }

  private:
    MPI_Comm handle_;
    int element_;
    std::vector<Counts> batches_;
    Requests requests_;
};

} // namespace whorl::exchange

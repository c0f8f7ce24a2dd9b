#pragma once

#include "exchange/transport.hpp"

namespace whorl::exchange {

// One blocking MPI_Alltoallv a batch: nothing overlaps, nothing can go wrong.
class AllToAll final : public Transport {
  public:
    AllToAll(const Communicator& communicator, std::vector<Pattern> batches, int element);
    void start(int batch, const void* send, void* receive) override;
    void wait(int) override {}

  private:
    struct Counts {
        std::int64_t send_base = 0, receive_base = 0;
        std::vector<int> send, send_at, receive, receive_at;
    };
    MPI_Comm handle_;
    MPI_Datatype type_;
    int element_;
    std::vector<Counts> batches_;
};

} // namespace whorl::exchange

#pragma once

#include "exchange/requests.hpp"
#include "exchange/transport.hpp"

namespace whorl::exchange {

// Buffers in the order their owners work in, and derived types that tell MPI where in them each peer's
// numbers lie: nothing is packed by whorl, all is gathered and scattered by the library.
class Datatypes final : public Transport {
  public:
    Datatypes(const Communicator& communicator, const std::vector<Pattern>& batches, int element);
    ~Datatypes() override;
    void start(int batch, void* send, void* receive) override;
    void wait(int batch) override { requests_.wait(batch); }
    void progress() override { requests_.progress(); }

  private:
    struct Types {
        std::vector<MPI_Datatype> send, receive;
    };
    MPI_Comm handle_;
    std::vector<int> one_, zero_; // a peer: how many of its type, and where the first is
    std::vector<Types> batches_;
    Requests requests_;
};

} // namespace whorl::exchange

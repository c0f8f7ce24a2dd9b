#pragma once

#include "exchange/requests.hpp"
#include "exchange/transport.hpp"

namespace whorl::exchange {

// Buffers are in the order in which their owners process them, and derived types describe each peer's numbers
// in them: the library gathers and scatters, whorl packs nothing.
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
    std::vector<int> one_, zero_; // for each peer: number of its types, and offset of the first
    std::vector<Types> batches_;
    Requests requests_;
};

} // namespace whorl::exchange

#include "exchange/messages.hpp"
#include "exchange/registry.hpp"

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

AllToAll::AllToAll(const Communicator& communicator, std::vector<Pattern> batches, int element)
    : handle_(communicator.handle()), element_(element), batches_(batches.begin(), batches.end()) {}

void AllToAll::start(int batch, void* send, void* receive) {
    const Counts& counts = batches_[static_cast<std::size_t>(batch)];
    const char* const from = static_cast<const char*>(send) + counts.send_base * element_;
    char* const to = static_cast<char*>(receive) + counts.receive_base * element_;
    const MPI_Datatype type = complex_type(element_);
    WHORL_MPI(MPI_Alltoallv(from, counts.send.data(), counts.send_at.data(), type, to, counts.receive.data(),
                            counts.receive_at.data(), type, handle_));
}

Maker make_alltoall(int threads, device::SideStream* stream) { return maker<AllToAll>(threads, stream); }

} // namespace whorl::exchange

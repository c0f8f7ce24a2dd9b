#include "exchange/messages.hpp"
#include "exchange/registry.hpp"

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

Overlap::Overlap(const Communicator& communicator, std::vector<Pattern> batches, int element)
    : handle_(communicator.handle()), element_(element), batches_(batches.begin(), batches.end()),
      requests_(batches.size()) {}

void Overlap::start(int batch, void* send, void* receive) {
    const Counts& counts = batches_[static_cast<std::size_t>(batch)];
    const char* const from = static_cast<const char*>(send) + counts.send_base * element_;
    char* const to = static_cast<char*>(receive) + counts.receive_base * element_;
    const MPI_Datatype type = complex_type(element_);
    WHORL_MPI(MPI_Ialltoallv(from, counts.send.data(), counts.send_at.data(), type, to, counts.receive.data(),
                             counts.receive_at.data(), type, handle_, &requests_.of(batch)));
}

Maker make_overlap(int threads, device::SideStream* stream) { return maker<Overlap>(threads, stream); }

} // namespace whorl::exchange

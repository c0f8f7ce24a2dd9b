#include "exchange/overlap.hpp"

namespace whorl::exchange {

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

} // namespace whorl::exchange

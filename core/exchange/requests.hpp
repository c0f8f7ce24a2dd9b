// Pending MPI requests, one for each batch.
#pragma once

#include <vector>

#include "exchange/communicator.hpp"

namespace whorl::exchange {

class Requests {
  public:
    explicit Requests(std::size_t batches) : requests_(batches, MPI_REQUEST_NULL) {}
    MPI_Request& of(int batch) { return requests_[static_cast<std::size_t>(batch)]; }
    void wait(int batch) { WHORL_MPI(MPI_Wait(&of(batch), MPI_STATUS_IGNORE)); }
    void progress() {
        for (MPI_Request& request : requests_) {
            int done = 0;
            if (request != MPI_REQUEST_NULL) WHORL_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
        }
    }

  private:
    std::vector<MPI_Request> requests_;
};

} // namespace whorl::exchange

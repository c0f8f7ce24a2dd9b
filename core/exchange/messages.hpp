// Messages of MPI: their counts, as its vector collectives have them, pending requests, and copies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "device/separate_memory.hpp"
#include "exchange/communicator.hpp"
#include "exchange/pattern.hpp"

namespace whorl::exchange {

// Counts and offsets in complex numbers. Offsets are relative to the first chunk of the batch, because MPI's
// are 32-bit. Throws Error if a message is too long for them.
struct Counts {
    std::int64_t send_base = 0, receive_base = 0;
    std::vector<int> send, send_at, receive, receive_at;

    explicit Counts(const Pattern& pattern);
};

// Throws the same Error.
void check_counts(const Pattern& pattern);

// The MPI type of a complex number of 8 or 16 bytes.
MPI_Datatype complex_type(int element);

// Pending MPI requests, one for each batch.
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

// Copies of messages, by several threads if they are large, of memory that the host reaches.
inline void copy(void* to, const void* from, std::int64_t bytes, int threads) {
    using device::SeparateMemory;
    WHORL_REQUIRE(!SeparateMemory::holds(to) && !SeparateMemory::holds(from),
                  "an exchange copied a device's memory on the host, which cannot reach that of a GPU.");
    constexpr std::int64_t piece = 1 << 20;
#pragma omp parallel for num_threads(threads) schedule(static) if (bytes > piece)
    for (std::int64_t begin = 0; begin < bytes; begin += piece)
        std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
                    static_cast<std::size_t>(std::min(piece, bytes - begin)));
}

} // namespace whorl::exchange

#include <cstring>

#include "exchange/messages.hpp"
#include "exchange/on_stream.hpp"
#include "exchange/registry.hpp"

namespace whorl::exchange {

namespace {

// Ranks exchange in the same order, so one tag does for all messages.
void by_mpi(MPI_Comm handle, int rank, const Pattern& pattern, std::size_t element, const char* send,
            char* receive) {
    const MPI_Datatype type = complex_type(static_cast<int>(element));
    std::vector<MPI_Request> requests;
    for (int peer = 0; peer < static_cast<int>(pattern.send.size()); ++peer) {
        const Chunk &out = pattern.send[static_cast<std::size_t>(peer)],
                    &in = pattern.receive[static_cast<std::size_t>(peer)];
        if (peer == rank) {
            std::memcpy(receive + in.begin(element), send + out.begin(element), out.bytes(element));
            continue;
        }
        WHORL_MPI(MPI_Irecv(receive + in.begin(element), static_cast<int>(in.count()), type, peer, 0, handle,
                            &requests.emplace_back()));
        WHORL_MPI(MPI_Isend(send + out.begin(element), static_cast<int>(out.count()), type, peer, 0, handle,
                            &requests.emplace_back()));
    }
    WHORL_MPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
}

class ByMpi final : public Peers {
  public:
    ByMpi(const Communicator& communicator, device::DeferredSideStream& stream)
        : handle_(communicator.handle()), rank_(communicator.rank()), stream_(stream) {}
    void exchange(const Pattern& pattern, std::size_t element, const char* send, char* receive) override {
        stream_.enqueue([=, this] { by_mpi(handle_, rank_, pattern, element, send, receive); });
    }
    void check() override {}

  private:
    MPI_Comm handle_;
    int rank_;
    device::DeferredSideStream& stream_;
};

} // namespace

Maker nccl_by_mpi_maker(device::DeferredSideStream& stream) {
    return [&stream](const Communicator& communicator, std::vector<Pattern> batches, int,
                     int element) -> std::unique_ptr<Transport> {
        for (const Pattern& pattern : batches) check_counts(pattern);
        return std::make_unique<OnStream>(stream, std::make_shared<ByMpi>(communicator, stream),
                                          std::move(batches), element);
    };
}

} // namespace whorl::exchange

#include "exchange/nccl.hpp"

#include <map>
#include <memory>
#include <utility>

#include <cuda_runtime.h>
#include <nccl.h>

#include "base/error.hpp"
#include "exchange/on_queue.hpp"

namespace whorl::exchange {

namespace {

std::string failure(const char* call, ncclResult_t code, const std::string& last) {
    return "NCCL failed in " + std::string(call) + ": " + ncclGetErrorString(code) + " (" + last +
           "). Each rank needs its own GPU; otherwise choose another transport.";
}
void check_nccl(ncclResult_t code, const char* call) {
    if (code != ncclSuccess) throw Error(failure(call, code, ncclGetLastError(nullptr)));
}
#define WHORL_NCCL_CALL(call) check_nccl(call, #call)

// The NCCL communicator of a communicator's ranks. It costs time and memory, so all exchanges of a
// communicator share one. All ranks destroy it together (close), but each alone where an exchange has failed.
class Ranks final : public Peers {
  public:
    Ranks(const Communicator& communicator, device::SideQueue& queue)
        : stream_(static_cast<cudaStream_t>(queue.handle())) {
        ncclUniqueId id;
        if (communicator.rank() == 0) WHORL_NCCL_CALL(ncclGetUniqueId(&id));
        communicator.broadcast(&id, sizeof id, 0);
        WHORL_NCCL_CALL(ncclCommInitRank(&known_, communicator.size(), id, communicator.rank()));
    }
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    void close() {
        if (known_) WHORL_NCCL_CALL(ncclCommDestroy(known_));
        known_ = nullptr;
    }

    void exchange(const Pattern& pattern, std::size_t element, const char* send, char* receive) override {
        WHORL_REQUIRE(known_, "an exchange by NCCL failed before, so that no other can follow.");
        WHORL_NCCL_CALL(ncclGroupStart());
        for (std::size_t peer = 0; peer < pattern.send.size(); ++peer) {
            const Chunk &out = pattern.send[peer], &in = pattern.receive[peer];
            const int rank = static_cast<int>(peer);
            if (out.count() > 0)
                WHORL_NCCL_CALL(
                    ncclSend(send + out.begin(element), out.bytes(element), ncclInt8, rank, known_, stream_));
            if (in.count() > 0)
                WHORL_NCCL_CALL(ncclRecv(receive + in.begin(element), in.bytes(element), ncclInt8, rank,
                                         known_, stream_));
        }
        WHORL_NCCL_CALL(ncclGroupEnd());
    }
    // What NCCL still does on the stream is given up where it has failed, or waits for the stream would not
    // end.
    void check() override {
        ncclResult_t failed = ncclSuccess;
        if (known_) WHORL_NCCL_CALL(ncclCommGetAsyncError(known_, &failed));
        if (failed == ncclSuccess || failed == ncclInProgress) return;
        const std::string last = ncclGetLastError(known_);
        WHORL_NCCL_CALL(ncclCommAbort(std::exchange(known_, nullptr)));
        throw Error(failure("an exchange", failed, last));
    }

  private:
    ncclComm_t known_ = nullptr;
    cudaStream_t stream_;
};

} // namespace

Maker nccl_maker(device::SideQueue& queue) {
    return [&queue, known = std::make_shared<std::map<MPI_Comm, std::shared_ptr<Ranks>>>()](
               const Communicator& communicator, std::vector<Pattern> batches, int,
               int element) -> std::unique_ptr<Transport> {
        std::shared_ptr<Ranks>& ranks = (*known)[communicator.handle()];
        if (!ranks) {
            ranks = std::make_shared<Ranks>(communicator, queue);
            communicator.handles().keep([own = ranks] { own->close(); });
        }
        return std::make_unique<OnQueue>(queue, ranks, std::move(batches), element);
    };
}

} // namespace whorl::exchange

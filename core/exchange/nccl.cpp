#include <map>
#include <memory>
#include <utility>

#include <cuda_runtime.h>
#include <nccl.h>

#include "base/error.hpp"
#include "exchange/on_stream.hpp"
#include "exchange/registry.hpp"

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

// A group of messages. It ends also if a call in it fails: later calls would be a part of it.
class Group {
  public:
    Group() { WHORL_NCCL_CALL(ncclGroupStart()); }
    ~Group() {
        if (open_) static_cast<void>(ncclGroupEnd());
    }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    void end() {
        open_ = false;
        WHORL_NCCL_CALL(ncclGroupEnd());
    }

  private:
    bool open_ = true;
};

class Ranks;
using OnOneStream = std::map<MPI_Comm, std::shared_ptr<Ranks>>;

// The NCCL communicator of a communicator's ranks. It costs time and memory, so all exchanges of a
// communicator share one. All ranks destroy it together (close), but each alone where an exchange has failed.
class Ranks final : public Peers {
  public:
    // `all` has the ranks of all communicators that exchange on the stream, and outlives every exchange.
    Ranks(const Communicator& communicator, device::SideStream& stream, const OnOneStream& all)
        : stream_(static_cast<cudaStream_t>(stream.handle())), all_(all) {
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
        Group group;
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
        group.end();
    }
    // Checks all communicators that exchange on the stream, where messages of one wait for those of another.
    void check() override {
        for (const auto& [handle, ranks] : all_) ranks->check_own();
    }

  private:
    // Aborts all of NCCL's work on the stream if an exchange has failed: waits for the stream would not end.
    void check_own() {
        ncclResult_t failed = ncclSuccess;
        if (known_) WHORL_NCCL_CALL(ncclCommGetAsyncError(known_, &failed));
        if (failed == ncclSuccess || failed == ncclInProgress) return;
        const std::string last = ncclGetLastError(known_);
        for (const auto& [handle, ranks] : all_)
            if (ranks->known_) WHORL_NCCL_CALL(ncclCommAbort(std::exchange(ranks->known_, nullptr)));
        throw Error(failure("an exchange", failed, last));
    }

    ncclComm_t known_ = nullptr;
    cudaStream_t stream_;
    const OnOneStream& all_;
};

} // namespace

Maker nccl_maker(device::SideStream& stream) {
    return [&stream, known = std::make_shared<OnOneStream>()](const Communicator& communicator,
                                                              std::vector<Pattern> batches, int,
                                                              int element) -> std::unique_ptr<Transport> {
        auto at = known->find(communicator.handle());
        if (at == known->end()) {
            const auto ranks = std::make_shared<Ranks>(communicator, stream, *known);
            communicator.handles().keep([ranks] { ranks->close(); });
            at = known->emplace(communicator.handle(), ranks).first;
        }
        return std::make_unique<OnStream>(stream, at->second, std::move(batches), element);
    };
}

} // namespace whorl::exchange

#include "exchange/nccl.hpp"

#include <map>
#include <memory>

#include <cuda_runtime.h>
#include <nccl.h>

#include "base/error.hpp"

namespace whorl::exchange {

namespace {

void check_nccl(ncclResult_t code, const char* call) {
    if (code == ncclSuccess) return;
    throw Error("NCCL failed in " + std::string(call) + ": " + ncclGetErrorString(code) + " (" +
                ncclGetLastError(nullptr) +
                "). Each rank needs its own GPU; otherwise choose another transport.");
}
#define WHORL_NCCL_CALL(call) check_nccl(call, #call)

void check_stream(cudaError_t code, const char* call) {
    if (code != cudaSuccess)
        throw Error("CUDA failed in " + std::string(call) + ": " + cudaGetErrorString(code) + ".");
}
#define WHORL_STREAM(call) check_stream(call, #call)

// The NCCL communicator of a communicator's ranks, and the stream on which they exchange. NCCL communicators
// cost time and memory, so all exchanges of a communicator share one. All ranks destroy it together (close).
class Ranks {
  public:
    explicit Ranks(const Communicator& communicator) {
        ncclUniqueId id;
        if (communicator.rank() == 0) WHORL_NCCL_CALL(ncclGetUniqueId(&id));
        communicator.broadcast(&id, sizeof id, 0);
        WHORL_NCCL_CALL(ncclCommInitRank(&known_, communicator.size(), id, communicator.rank()));
        WHORL_STREAM(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    ~Ranks() {
        if (stream_) cudaStreamDestroy(stream_);
    }
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    void close() const { WHORL_NCCL_CALL(ncclCommDestroy(known_)); }
    ncclComm_t known() const { return known_; }
    cudaStream_t stream() const { return stream_; }

  private:
    ncclComm_t known_ = nullptr;
    cudaStream_t stream_ = nullptr;
};

class Nccl final : public Transport {
  public:
    Nccl(std::shared_ptr<const Ranks> ranks, std::vector<Pattern> batches, int element)
        : element_(static_cast<std::size_t>(element)), batches_(std::move(batches)), ranks_(std::move(ranks)),
          arrived_(batches_.size(), nullptr) {
        for (cudaEvent_t& event : arrived_)
            WHORL_STREAM(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
    ~Nccl() override {
        for (cudaEvent_t event : arrived_)
            if (event) cudaEventDestroy(event);
    }
    Nccl(const Nccl&) = delete;
    Nccl& operator=(const Nccl&) = delete;

    void start(int batch, void* send, void* receive) override {
        const Pattern& pattern = batches_[static_cast<std::size_t>(batch)];
        const ncclComm_t known = ranks_->known();
        const cudaStream_t stream = ranks_->stream();
        WHORL_NCCL_CALL(ncclGroupStart());
        for (std::size_t peer = 0; peer < pattern.send.size(); ++peer) {
            const Chunk &out = pattern.send[peer], &in = pattern.receive[peer];
            const int rank = static_cast<int>(peer);
            if (out.count() > 0)
                WHORL_NCCL_CALL(ncclSend(static_cast<const char*>(send) + out.begin(element_),
                                         out.bytes(element_), ncclInt8, rank, known, stream));
            if (in.count() > 0)
                WHORL_NCCL_CALL(ncclRecv(static_cast<char*>(receive) + in.begin(element_), in.bytes(element_),
                                         ncclInt8, rank, known, stream));
        }
        WHORL_NCCL_CALL(ncclGroupEnd());
        WHORL_STREAM(cudaEventRecord(arrived_[static_cast<std::size_t>(batch)], stream));
    }
    void wait(int batch) override {
        WHORL_STREAM(cudaEventSynchronize(arrived_[static_cast<std::size_t>(batch)]));
        ncclResult_t failed = ncclSuccess;
        WHORL_NCCL_CALL(ncclCommGetAsyncError(ranks_->known(), &failed));
        check_nccl(failed, "an exchange");
    }

  private:
    std::size_t element_;
    std::vector<Pattern> batches_;
    std::shared_ptr<const Ranks> ranks_;
    std::vector<cudaEvent_t> arrived_;
};

} // namespace

Maker nccl_maker() {
    return [known = std::make_shared<std::map<MPI_Comm, std::shared_ptr<const Ranks>>>()](
               const Communicator& communicator, std::vector<Pattern> batches, int,
               int element) -> std::unique_ptr<Transport> {
        std::shared_ptr<const Ranks>& ranks = (*known)[communicator.handle()];
        if (!ranks) {
            ranks = std::make_shared<const Ranks>(communicator);
            communicator.handles().keep([own = ranks] { own->close(); });
        }
        return std::make_unique<Nccl>(ranks, std::move(batches), element);
    };
}

} // namespace whorl::exchange

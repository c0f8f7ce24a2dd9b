#include "exchange/nccl.hpp"

#include <cuda_runtime.h>
#include <nccl.h>

#include "base/error.hpp"

namespace whorl::exchange {

namespace {

void check_nccl(ncclResult_t code, const char* call) {
    if (code == ncclSuccess) return;
    throw Error("NCCL failed in " + std::string(call) + ": " + ncclGetErrorString(code) + " (" +
                ncclGetLastError(nullptr) +
                "). Each rank needs a GPU of its own; else choose another transport.");
}
#define WHORL_NCCL_CALL(call) check_nccl(call, #call)

void check_stream(cudaError_t code, const char* call) {
    if (code != cudaSuccess)
        throw Error("CUDA failed in " + std::string(call) + ": " + cudaGetErrorString(code) + ".");
}
#define WHORL_STREAM(call) check_stream(call, #call)

class Nccl final : public Transport {
  public:
    Nccl(const Communicator& communicator, std::vector<Pattern> batches, int element)
        : element_(static_cast<std::size_t>(element)), batches_(std::move(batches)),
          arrived_(batches_.size(), nullptr) {
        ncclUniqueId id;
        if (communicator.rank() == 0) WHORL_NCCL_CALL(ncclGetUniqueId(&id));
        communicator.broadcast(&id, sizeof id, 0);
        WHORL_NCCL_CALL(ncclCommInitRank(&ranks_, communicator.size(), id, communicator.rank()));
        WHORL_STREAM(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        for (cudaEvent_t& event : arrived_)
            WHORL_STREAM(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
    ~Nccl() override {
        for (cudaEvent_t event : arrived_)
            if (event) cudaEventDestroy(event);
        if (stream_) cudaStreamDestroy(stream_);
        if (ranks_) ncclCommDestroy(ranks_);
    }
    Nccl(const Nccl&) = delete;
    Nccl& operator=(const Nccl&) = delete;

    void start(int batch, void* send, void* receive) override {
        const Pattern& pattern = batches_[static_cast<std::size_t>(batch)];
        WHORL_NCCL_CALL(ncclGroupStart());
        for (std::size_t peer = 0; peer < pattern.send.size(); ++peer) {
            const Chunk &out = pattern.send[peer], &in = pattern.receive[peer];
            const int rank = static_cast<int>(peer);
            if (out.count() > 0)
                WHORL_NCCL_CALL(ncclSend(static_cast<const char*>(send) + begin(out), bytes(out), ncclInt8,
                                         rank, ranks_, stream_));
            if (in.count() > 0)
                WHORL_NCCL_CALL(ncclRecv(static_cast<char*>(receive) + begin(in), bytes(in), ncclInt8, rank,
                                         ranks_, stream_));
        }
        WHORL_NCCL_CALL(ncclGroupEnd());
        WHORL_STREAM(cudaEventRecord(arrived_[static_cast<std::size_t>(batch)], stream_));
    }
    void wait(int batch) override {
        WHORL_STREAM(cudaEventSynchronize(arrived_[static_cast<std::size_t>(batch)]));
        ncclResult_t failed = ncclSuccess;
        WHORL_NCCL_CALL(ncclCommGetAsyncError(ranks_, &failed));
        check_nccl(failed, "an exchange");
    }

  private:
    std::size_t begin(const Chunk& chunk) const { return static_cast<std::size_t>(chunk.offset) * element_; }
    std::size_t bytes(const Chunk& chunk) const { return static_cast<std::size_t>(chunk.count()) * element_; }

    std::size_t element_;
    std::vector<Pattern> batches_;
    ncclComm_t ranks_ = nullptr;
    cudaStream_t stream_ = nullptr;
    std::vector<cudaEvent_t> arrived_;
};

} // namespace

Maker nccl_maker() {
    return [](const Communicator& communicator, std::vector<Pattern> batches, int,
              int element) -> std::unique_ptr<Transport> {
        return std::make_unique<Nccl>(communicator, std::move(batches), element);
    };
}

} // namespace whorl::exchange

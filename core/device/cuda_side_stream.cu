#include <deque>
#include <functional>
#include <map>
#include <span>
#include <thread>

#include "device/cuda.hpp"

namespace whorl::device {

namespace {

// Ignores an error that has no consequence.
void ignored(cudaError_t) noexcept {}

// Events are used again when the work that was recorded with them has ended, or is waited for:
// cudaStreamWaitEvent waits for the work that was recorded when it was called.
class CudaSideStream final : public SideStream {
  public:
    explicit CudaSideStream(std::span<const cudaStream_t> executors) : executors_(executors) {
        WHORL_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    ~CudaSideStream() override {
        for (cudaEvent_t event : made_) ignored(cudaEventDestroy(event));
        ignored(cudaStreamDestroy(stream_));
    }
    Mark executors() override {
        auto& events = of_executors_[++last_of_executors_];
        for (cudaStream_t executor : executors_) events.push_back(recorded(executor));
        return last_of_executors_;
    }
    void follow(Mark executors) override {
        for (cudaEvent_t event : of_executors_.at(executors)) {
            WHORL_CUDA(cudaStreamWaitEvent(stream_, event, 0));
            free_.push_back(event);
        }
        of_executors_.erase(executors);
    }
    Mark mark() override {
        marks_.push_back(recorded(stream_));
        return ended_ + static_cast<Mark>(marks_.size());
    }
    void lead(Mark mark) override {
        if (mark <= ended_) return;
        for (cudaStream_t executor : executors_) WHORL_CUDA(cudaStreamWaitEvent(executor, event_of(mark), 0));
    }
    void wait(Mark mark, const std::function<void()>& meanwhile) override {
        while (mark > ended_ && meanwhile && !has_ended(mark)) {
            meanwhile();
            std::this_thread::yield();
        }
        if (mark > ended_) WHORL_CUDA(cudaEventSynchronize(event_of(mark)));
        for (; ended_ < mark; ++ended_) {
            free_.push_back(marks_.front());
            marks_.pop_front();
        }
    }
    void to_host(void* to, const void* from, std::size_t bytes) override {
        WHORL_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
        ++transfers().to_host;
        transfers().bytes += static_cast<std::int64_t>(bytes);
    }
    void from_host(void* to, const void* from, std::size_t bytes) override {
        WHORL_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_));
        ++transfers().from_host;
        transfers().bytes += static_cast<std::int64_t>(bytes);
    }
    void within(void* to, const void* from, std::size_t bytes) override {
        WHORL_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_));
    }
    void* handle() override { return stream_; }

  private:
    cudaEvent_t recorded(cudaStream_t stream) {
        if (free_.empty()) {
            cudaEvent_t& event = made_.emplace_back(nullptr);
            WHORL_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
            free_.push_back(event);
        }
        const cudaEvent_t event = free_.back();
        free_.pop_back();
        WHORL_CUDA(cudaEventRecord(event, stream));
        return event;
    }
    cudaEvent_t event_of(Mark mark) const { return marks_[static_cast<std::size_t>(mark - ended_ - 1)]; }
    bool has_ended(Mark mark) const {
        const cudaError_t code = cudaEventQuery(event_of(mark));
        if (code != cudaErrorNotReady) check_cuda(code, "cudaEventQuery");
        ignored(cudaGetLastError()); // which would be that it is not ready
        return code == cudaSuccess;
    }

    std::span<const cudaStream_t> executors_;
    cudaStream_t stream_ = nullptr;
    std::vector<cudaEvent_t> made_, free_;
    std::map<Mark, std::vector<cudaEvent_t>> of_executors_;
    Mark last_of_executors_ = 0, ended_ = 0;
    std::deque<cudaEvent_t> marks_; // from ended_ + 1 on
};

} // namespace

std::unique_ptr<SideStream> Cuda::side_stream() { return std::make_unique<CudaSideStream>(streams_); }

} // namespace whorl::device

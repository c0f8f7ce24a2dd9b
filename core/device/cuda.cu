#include <mutex>
#include <string>
#include <unordered_set>

#include "base/error.hpp"
#include "base/maximum.hpp"
#include "device/cuda.hpp"
#include "device/side_stream.hpp"

namespace whorl::device {

namespace {
// Ignores an error of a caller that cannot throw: a call that can has reported the failure, or will.
void ignored(cudaError_t) noexcept {}
} // namespace

void check_cuda(cudaError_t code, const char* call) {
    if (code == cudaSuccess) return;
    int device = -1;
    ignored(cudaGetDevice(&device));
    throw Error("CUDA failed on GPU " + std::to_string(device) + " in " + call + ": " +
                cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ").");
}

void check_cufft(cufftResult code, const char* call) {
    if (code == CUFFT_SUCCESS) return;
    throw Error("cuFFT failed in " + std::string(call) + " with code " + std::to_string(code) +
                " (cufftResult in cufft.h).");
}

namespace {
std::string mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

// Whether the GPU, which a process keeps, has a pool from which memory comes in the order of a stream.
bool has_pool() noexcept {
    static const bool has = [] {
        int number = 0, answer = 0;
        return cudaGetDevice(&number) == cudaSuccess &&
               cudaDeviceGetAttribute(&answer, cudaDevAttrMemoryPoolsSupported, number) == cudaSuccess &&
               answer != 0;
    }();
    return has;
}

// Lets the pool keep released memory for later allocations.
void keep_pool(int device) {
    if (!has_pool()) return;
    cudaMemPool_t pool = nullptr;
    WHORL_CUDA(cudaDeviceGetDefaultMemPool(&pool, device));
    std::uint64_t everything = ~std::uint64_t{0};
    WHORL_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &everything));
}

// Returns the unused memory of the pool to the device; destructors call it too.
void trim_pool() noexcept {
    int number = 0;
    cudaMemPool_t pool = nullptr;
    if (has_pool() && cudaDeviceSynchronize() == cudaSuccess && cudaGetDevice(&number) == cudaSuccess &&
        cudaDeviceGetDefaultMemPool(&pool, number) == cudaSuccess)
        ignored(cudaMemPoolTrimTo(pool, 0));
}

// Memory from allocate(&memory), zeroed when this returns.
template <class Allocate> void* zeroed(std::size_t bytes, const char* call, const Allocate& allocate) {
    if (bytes == 0) return nullptr;
    void* memory = nullptr;
    const cudaError_t code = allocate(&memory);
    if (code == cudaErrorMemoryAllocation) {
        ignored(cudaGetLastError());
        std::size_t left = 0, all = 0;
        WHORL_CUDA(cudaMemGetInfo(&left, &all));
        throw Error("the GPU has no " + mebibytes(bytes) + " of memory left for one more array (" +
                    mebibytes(left) + " of " + mebibytes(all) +
                    "): use fewer points, single precision or more GPUs.");
    }
    check_cuda(code, call);
    count_allocation();
    WHORL_CUDA(cudaMemsetAsync(memory, 0, bytes, nullptr));
    WHORL_CUDA(cudaStreamSynchronize(nullptr));
    return memory;
}
} // namespace

void* CudaMemory::allocate(std::size_t bytes) {
    if (!has_pool()) return CudaPlainMemory::allocate(bytes);
    return zeroed(bytes, "cudaMallocAsync",
                  [bytes](void** memory) { return cudaMallocAsync(memory, bytes, nullptr); });
}

void* CudaPlainMemory::allocate(std::size_t bytes) {
    trim_pool(); // which may hold the memory needed here
    return zeroed(bytes, "cudaMalloc", [bytes](void** memory) { return cudaMalloc(memory, bytes); });
}

void CudaPlainMemory::release(void* memory, std::size_t bytes) noexcept {
    if (bytes > 0) ignored(cudaFree(memory));
}

void CudaMemory::release(void* memory, std::size_t bytes) noexcept {
    if (bytes == 0) return;
    ignored(cudaDeviceSynchronize());
    ignored(has_pool() ? cudaFreeAsync(memory, nullptr) : cudaFree(memory));
}

void CudaMemory::from_host(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    WHORL_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    // A copy from pageable memory returns before the last of it has arrived.
    WHORL_CUDA(cudaStreamSynchronize(nullptr));
    ++transfers().from_host;
    transfers().bytes += static_cast<std::int64_t>(bytes);
}

void CudaMemory::to_host(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    WHORL_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
    ++transfers().to_host;
    transfers().bytes += static_cast<std::int64_t>(bytes);
}

void* PinnedMemory::allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    void* memory = nullptr;
    const cudaError_t code = cudaMallocHost(&memory, bytes);
    if (code == cudaErrorMemoryAllocation) {
        ignored(cudaGetLastError());
        throw Error("the host has no " + mebibytes(bytes) +
                    " of memory left that a GPU can fetch: use fewer ranks a node, more batches, or an MPI "
                    "that takes the GPU's memory (run.gpu_aware).");
    }
    check_cuda(code, "cudaMallocHost");
    count_allocation();
    return memory;
}

void PinnedMemory::release(void* memory, std::size_t bytes) noexcept {
    if (bytes > 0) ignored(cudaFreeHost(memory));
}

template <class Real>
std::unique_ptr<CudaPlan<Real>> CudaPlan<Real>::make(const LineShape& shape, Direction direction) {
    return std::unique_ptr<CudaPlan>(new CudaPlan(shape, direction));
}

template <class Real>
CudaPlan<Real>::CudaPlan(const LineShape& shape, Direction direction) : direction_(direction) {
    long long n = shape.n, all = shape.extent();
    const cufftType type = sizeof(Real) == sizeof(float) ? CUFFT_C2C : CUFFT_Z2Z;
    WHORL_CUFFT(cufftCreate(&plan_));
    WHORL_CUFFT(cufftSetAutoAllocation(plan_, 0));
    WHORL_CUFFT(cufftMakePlanMany64(plan_, 1, &n, &all, shape.stride, shape.distance, &all, shape.stride,
                                    shape.distance, type, shape.howmany, &work_bytes_));
}

template <class Real> CudaPlan<Real>::~CudaPlan() {
    if (plan_ != 0) cufftDestroy(plan_);
}

template <class Real>
void CudaPlan<Real>::execute(cudaStream_t stream, Complex<Real>* data, void* work) const {
    const int sign = direction_ == Direction::forward ? CUFFT_FORWARD : CUFFT_INVERSE;
    WHORL_CUFFT(cufftSetStream(plan_, stream));
    WHORL_CUFFT(cufftSetWorkArea(plan_, work));
    if constexpr (sizeof(Real) == sizeof(float)) {
        auto* const values = reinterpret_cast<cufftComplex*>(data);
        WHORL_CUFFT(cufftExecC2C(plan_, values, values, sign));
    } else {
        auto* const values = reinterpret_cast<cufftDoubleComplex*>(data);
        WHORL_CUFFT(cufftExecZ2Z(plan_, values, values, sign));
    }
}

template class CudaPlan<float>;
template class CudaPlan<double>;

namespace cuda {
namespace {

constexpr int combining_threads = 256;

// One block per term: each thread combines every combining_threads-th value, then pairs are combined.
__global__ void combine_blocks(const double* values, std::int64_t blocks, int sums, int terms,
                               double* total) {
    __shared__ double partial[combining_threads];
    const int term = static_cast<int>(blockIdx.x), t = static_cast<int>(threadIdx.x);
    const bool adds = term < sums;
    const auto combined = [adds](double a, double b) { return adds ? a + b : larger(a, b); };
    double own = 0.0;
    for (std::int64_t b = t; b < blocks; b += combining_threads)
        own = combined(own, values[b * terms + term]);
    partial[t] = own;
    for (int half = combining_threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) partial[t] = combined(partial[t], partial[t + half]);
    }
    if (t == 0) total[term] = partial[0];
}

} // namespace

void allow_memory(const void* kernel, int bytes) {
    static std::mutex one_at_a_time;
    static std::unordered_set<const void*> allowed; // a process keeps its GPU
    const std::lock_guard lock(one_at_a_time);
    if (allowed.contains(kernel)) return;
    WHORL_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    allowed.insert(kernel);
}

void combine(cudaStream_t stream, const double* values, std::int64_t blocks, int sums, int terms,
             double* total) {
    combine_blocks<<<static_cast<unsigned>(terms), combining_threads, 0, stream>>>(values, blocks, sums,
                                                                                   terms, total);
    WHORL_CUDA(cudaGetLastError());
}

} // namespace cuda

// Returns no GPUs if the machine has no driver, which is no error.
std::vector<Gpu> cuda_gpus() {
    int count = 0;
    std::vector<Gpu> found;
    if (cudaGetDeviceCount(&count) != cudaSuccess) return found;
    for (int number = 0; number < count; ++number) {
        cudaDeviceProp properties;
        WHORL_CUDA(cudaGetDeviceProperties(&properties, number));
        std::string id;
        for (const char byte : properties.uuid.bytes) {
            constexpr const char* digits = "0123456789abcdef";
            id += digits[static_cast<unsigned char>(byte) >> 4];
            id += digits[static_cast<unsigned char>(byte) & 15];
        }
        found.push_back({properties.name, id, static_cast<std::int64_t>(properties.totalGlobalMem),
                         static_cast<std::int64_t>(properties.sharedMemPerBlockOptin),
                         10 * properties.major + properties.minor});
    }
    return found;
}

std::int64_t cuda_free_memory(int number) {
    std::size_t left = 0, all = 0;
    WHORL_CUDA(cudaSetDevice(number));
    trim_pool();
    WHORL_CUDA(cudaMemGetInfo(&left, &all));
    return static_cast<std::int64_t>(left);
}

std::string cuda_version() {
    int version = 0;
    WHORL_CUDA(cudaRuntimeGetVersion(&version));
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

double cuda_copy_bandwidth() {
    constexpr std::size_t bytes = std::size_t{1} << 30;
    constexpr int trials = 10;
    const Buffer<char, CudaMemory> from(bytes);
    Buffer<char, CudaMemory> to(bytes);
    cudaEvent_t begin = nullptr, end = nullptr;
    WHORL_CUDA(cudaEventCreate(&begin));
    WHORL_CUDA(cudaEventCreate(&end));
    float best = 0.0f;
    for (int trial = 0; trial < trials; ++trial) {
        float milliseconds = 0.0f;
        WHORL_CUDA(cudaEventRecord(begin));
        WHORL_CUDA(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice));
        WHORL_CUDA(cudaEventRecord(end));
        WHORL_CUDA(cudaEventSynchronize(end));
        WHORL_CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
        if (trial == 0 || milliseconds < best) best = milliseconds;
    }
    WHORL_CUDA(cudaEventDestroy(begin));
    WHORL_CUDA(cudaEventDestroy(end));
    return 2.0 * static_cast<double>(bytes) / (1e-3 * static_cast<double>(best));
}

Cuda::Cuda(int local_rank) {
    int count = 0;
    const cudaError_t code = cudaGetDeviceCount(&count);
    if (code != cudaSuccess || count == 0)
        throw Error("run.device = \"cuda\" needs an NVIDIA GPU, and CUDA finds none here (" +
                    std::string(cudaGetErrorString(code)) + "): use \"cpu\", or a node with a GPU.");
    static const int number = local_rank % count; // a process keeps its GPU
    thread_setup = [] { WHORL_CUDA(cudaSetDevice(number)); };
    thread_setup();
    WHORL_CUDA(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, number));
    WHORL_CUDA(cudaDeviceGetAttribute(&block_memory_, cudaDevAttrMaxSharedMemoryPerBlockOptin, number));
    keep_pool(number);
    for (cudaStream_t& stream : streams_)
        WHORL_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (cudaEvent_t& event : events_) WHORL_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    raised_ = Buffer<unsigned long long, CudaMemory>(2);
    reduced_ = Buffer<double, CudaMemory>(most_values);
}

// The pool returns its memory, so that the free memory is known before the next flow is made.
Cuda::~Cuda() {
    for (auto& area : work_) area = {};
    raised_ = {};
    reduced_ = {};
    trim_pool();
    for (cudaEvent_t event : events_) ignored(cudaEventDestroy(event));
    for (cudaStream_t stream : streams_) ignored(cudaStreamDestroy(stream));
}

// Every stream waits for all work enqueued so far.
void Cuda::join() {
    for (std::size_t s = 0; s < streams_.size(); ++s) WHORL_CUDA(cudaEventRecord(events_[s], streams_[s]));
    for (std::size_t s = 0; s < streams_.size(); ++s)
        for (std::size_t other = 0; other < streams_.size(); ++other)
            if (other != s) WHORL_CUDA(cudaStreamWaitEvent(streams_[s], events_[other], 0));
}

void Cuda::finish() {
    for (cudaStream_t stream : streams_) WHORL_CUDA(cudaStreamSynchronize(stream));
}

void* Cuda::work_area(int executor, std::size_t bytes) {
    auto& area = work_[static_cast<std::size_t>(executor)];
    if (area.size() < bytes) {
        finish();
        work_bytes_ = std::max(bytes, work_bytes_);
        area = Buffer<char, CudaMemory>(work_bytes_);
    }
    return area.data();
}

void Cuda::forget_plans() {
    finish();
    for (auto& area : work_) area = {};
    work_bytes_ = 0;
}

double* Cuda::reduction_area(std::size_t values) {
    if (reduced_.size() < values)
        reduced_ = Buffer<double, CudaMemory>(values);
    else
        WHORL_CUDA(cudaMemsetAsync(reduced_.data(), 0, values * sizeof(double), streams_[0]));
    return reduced_.data();
}

std::array<double, 2> Cuda::raised() {
    finish();
    std::array<double, 2> largest{};
    fetch_reduction(largest.data(), raised_.data(), sizeof largest);
    return largest;
}

void Cuda::forget_raised() { WHORL_CUDA(cudaMemsetAsync(raised_.data(), 0, raised_.bytes(), streams_[0])); }

void Cuda::fetch_reduction(void* to, const void* from, std::size_t bytes) {
    WHORL_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
    ++transfers().reductions;
}

} // namespace whorl::device

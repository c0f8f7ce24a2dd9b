// A GPU by CUDA and cuFFT. Executors are CUDA streams. A row of a kernel is a thread block. Memory comes from
// the device's pool, and the host reaches it only by copies. Kernels are launched here; their bodies are
// function objects next to what they compute, such as roundtrip/row_kernels.hpp and
// steppers/force_kernels.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include <cuda_runtime.h>
#include <cufft.h>

#include "base/complex.hpp"
#include "base/unrolled.hpp"
#include "device/buffer.hpp"
#include "device/compiled.hpp"
#include "device/line_plan.hpp"
#include "device/separate_memory.hpp"
#include "device/side_stream.hpp"
#include "device/stream_device.hpp"

namespace whorl::device {

void check_cuda(cudaError_t code, const char* call);
void check_cufft(cufftResult code, const char* call);
#define WHORL_CUDA(call) ::whorl::device::check_cuda(call, #call)
#define WHORL_CUFFT(call) ::whorl::device::check_cufft(call, #call)

// Memory of the device's pool, or plain memory if the device has no pool.
struct CudaPlainMemory;
struct CudaMemory {
    static constexpr bool separate = true, of_gpu = true;
    using Exchanged = CudaPlainMemory;
    // Zeroed. Throws Error naming the bytes requested and left.
    static void* allocate(std::size_t bytes);
    static void release(void* memory, std::size_t bytes) noexcept;
    // Copies of memory that no stream is using.
    static void from_host(void* to, const void* from, std::size_t bytes);
    static void to_host(void* to, const void* from, std::size_t bytes);
    static void share() {}
};

// Memory outside the pool, for MPI shares it with other processes, which cannot reach a pool.
struct CudaPlainMemory : CudaMemory {
    static void* allocate(std::size_t bytes);
    static void release(void* memory, std::size_t bytes) noexcept;
};

// Memory of the host that the device can reach by itself.
struct PinnedMemory {
    static constexpr bool separate = false;
    static void* allocate(std::size_t bytes);
    static void release(void* memory, std::size_t bytes) noexcept;
};

// Complex lines by cuFFT, in place.
template <class Real> class CudaPlan {
  public:
    static std::unique_ptr<CudaPlan> make(const LineShape& shape, Direction direction);
    ~CudaPlan();
    CudaPlan(const CudaPlan&) = delete;
    CudaPlan& operator=(const CudaPlan&) = delete;

    // Never 0: a plan without a work area may refuse to run.
    std::size_t work_bytes() const { return std::max<std::size_t>(work_bytes_, 256); }
    void execute(cudaStream_t stream, Complex<Real>* data, void* work) const;

  private:
    CudaPlan(const LineShape& shape, Direction direction);
    cufftHandle plan_ = 0;
    std::size_t work_bytes_ = 0;
    Direction direction_;
};

namespace cuda {

inline constexpr int block_threads = 128;
using LaneMask = unsigned int; // the threads that take part in a shuffle

// Runs every element of a row of a kernel per block.
template <class Kernel> __global__ void run_rows(const __grid_constant__ Kernel kernel) {
    const auto row = kernel.row(blockIdx.x);
    const std::int64_t length = row.length;
    for (std::int64_t i = threadIdx.x; i < length; i += blockDim.x) row(i);
}

// Positive numbers are ordered like their bits, with NaN above all.
__device__ inline unsigned long long ordered_bits(double value) {
    const double shown = value - value == 0.0 ? fabs(value) : __longlong_as_double(0x7ff8000000000000ll);
    return static_cast<unsigned long long>(__double_as_longlong(shown));
}

// Raises largest[m], m < maxima, to the values own[m] of all threads of a block.
template <int maxima> __device__ void raise_to(unsigned long long* own, unsigned long long* largest) {
    for (int m = 0; m < maxima; ++m) {
        for (int lanes = 16; lanes > 0; lanes /= 2)
            own[m] = max(own[m], __shfl_down_sync(~LaneMask{0}, own[m], static_cast<unsigned>(lanes)));
        // largest[m] may be out of date, and is then too small.
        if (threadIdx.x % 32 == 0 && own[m] > largest[m]) atomicMax(largest + m, own[m]);
    }
}

// Raises largest[m] to the kernel's values at the rows r, r + grid, ...
template <class Kernel>
__global__ void raise_rows(const __grid_constant__ Kernel kernel, std::int64_t rows,
                           unsigned long long* largest) {
    constexpr int maxima = Kernel::maxima > 0 ? Kernel::maxima : 1;
    unsigned long long own[maxima] = {};
    for (std::int64_t r = blockIdx.x; r < rows; r += gridDim.x) {
        const auto row = kernel.row(r);
        for (int i = static_cast<int>(threadIdx.x); i < row.length; i += static_cast<int>(blockDim.x)) {
            typename Kernel::Value measured[maxima];
            row(i, measured);
            for (int m = 0; m < maxima; ++m) own[m] = max(own[m], ordered_bits(measured[m]));
        }
    }
    raise_to<maxima>(own, largest);
}

// The threads of a block (block_plan.hpp).
class Team {
  public:
    __device__ explicit Team(unsigned long long* largest) : largest_(largest) {}

    template <class F> __device__ void each(int items, const F& f) const {
        for (int i = static_cast<int>(threadIdx.x); i < items; i += static_cast<int>(blockDim.x)) f(i);
        __syncthreads();
    }
    template <int together, class Get, class Put>
    __device__ void gather(int items, const Get& get, const Put& put) const {
        const int threads = static_cast<int>(blockDim.x);
        for (int first = static_cast<int>(threadIdx.x); first < items; first += together * threads) {
            // Past the last item the first is repeated: with a condition, each item would be read when it is
            // put.
            const auto item = [&](int t) {
                return first + t * threads < items ? first + t * threads : first;
            };
            decltype(get(first)) values[together];
            unrolled<together>([&](auto t) { values[t] = get(item(t)); });
            unrolled<together>([&](auto t) { put(item(t), values[t]); });
        }
        __syncthreads();
    }
    template <class Kernel, class F> __device__ void raise(int items, const F& f) const {
        unsigned long long own[Kernel::maxima] = {};
        each(items, [&](int i) {
            typename Kernel::Value measured[Kernel::maxima];
            f(i, measured);
            for (int m = 0; m < Kernel::maxima; ++m) own[m] = max(own[m], ordered_bits(measured[m]));
        });
        raise_to<Kernel::maxima>(own, largest_);
    }
    __device__ void add(std::uint32_t* to, std::uint32_t value) const { atomicAdd(to, value); }
    __device__ void add(std::uint64_t* to, std::uint64_t value) const {
        static_assert(sizeof(unsigned long long) == sizeof value);
        atomicAdd(reinterpret_cast<unsigned long long*>(to), value);
    }
    // Not passed as a pointer, so that the compiler knows which memory it is.
    template <class T> static __device__ T* memory() {
        extern __shared__ __align__(16) unsigned char block_memory[];
        return reinterpret_cast<T*>(block_memory);
    }

  private:
    unsigned long long* largest_;
};

// The most threads of a block if each has this many of the 65536 registers of a multiprocessor
// (block_plan.hpp): `threads` if the multiprocessor has `together` blocks, `alone` if a block's memory leaves
// no room for a second one.
template <int registers> struct Teams {
    static constexpr int together = registers > 80 ? 2 : 3;
    static constexpr int threads = registers > 128 ? 192 : 256, alone = registers > 128 ? 384 : 512;
};
template <class Program, int most_threads, int together>
__global__ void __launch_bounds__(most_threads, together)
    run_program(const __grid_constant__ Program program, unsigned long long* largest) {
    program(blockIdx.x, Team(largest));
}

// Thread t adds its range of items, one after another, to values[t][...].
template <class Item>
__global__ void add_items(const __grid_constant__ Item item, std::int64_t items, std::int64_t blocks,
                          int terms, double* values) {
    const std::int64_t t = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (t >= blocks) return;
    for (std::int64_t i = t * items / blocks; i < (t + 1) * items / blocks; ++i) item(i, values + t * terms);
}

// Kernels of a library that was made when the run began, in place of those of the same names.
class KernelsOf {
  public:
    // 0: none.
    void set(std::uintptr_t library);
    const void* in_place_of(const void* kernel) { return library_ ? found(kernel) : kernel; }

  private:
    const void* found(const void* kernel);
    cudaLibrary_t library_ = nullptr;
    std::unordered_map<const void*, const void*> known_;
};

// Lets the blocks of a kernel have this much memory, which may be more than by default. A kernel of a
// template has an address of its own in each object, so that this is asked for each launch; CUDA is asked
// once for each address.
void allow_memory(const void* kernel, int bytes);

// total[term] is the sum, or from `sums` on the largest, of values[block][term], always in the same order.
void combine(cudaStream_t stream, const double* values, std::int64_t blocks, int sums, int terms,
             double* total);

} // namespace cuda

// A step is not captured as a CUDA graph: its length and its use of registers change from step to step, and
// the gain of a new capture each time has not been measured.
class Cuda : public StreamDevice<Cuda, CudaPlan, CudaMemory> {
  public:
    using HostSide = PinnedMemory;

    // The GPU of rank `local_rank` of a node: ranks take the GPUs in turn. Throws Error if the node has
    // none.
    explicit Cuda(int local_rank);
    ~Cuda();
    Cuda(const Cuda&) = delete;
    Cuda& operator=(const Cuda&) = delete;

    // A stream for exchanges, which this device outlives.
    std::unique_ptr<SideStream> side_stream();

    // Kernels of this library (load_cuda_kernels()) run in place of those of the same names.
    void use_kernels(std::uintptr_t library) { kernels_.set(library); }

    // Calls work(executor, item), which enqueues, for every item. Work enqueued earlier runs before all
    // items, work enqueued later after them.
    template <class Work> void each(std::int64_t items, const Work& work) {
        join();
        for (std::int64_t item = 0; item < items; ++item) work(static_cast<int>(item % stream_count), item);
        join();
    }

    template <class Kernel> void for_each(int executor, std::int64_t rows, const Kernel& kernel) {
        if (rows == 0) return;
        start(cuda::run_rows<Kernel>, rows, cuda::block_threads, 0, executor, kernel);
    }

    // Runs a program in blocks of threads with `bytes` bytes of memory each (block_plan.hpp).
    template <class Program>
    void for_blocks(int executor, std::int64_t blocks, std::int64_t bytes, const Program& program) {
        if (blocks == 0) return;
        using Teams = cuda::Teams<registers_of<Program>()>;
        const bool alone = bytes > BlockRoom{block_memory_}.of_two();
        const int usual = alone ? Teams::alone : Teams::threads;
        const int chosen =
            this->blocks().threads > 0 ? std::min(this->blocks().threads, Teams::alone) : usual;
        if (chosen > Teams::threads)
            launch<Teams::alone, 1>(executor, blocks, chosen, bytes, program);
        else
            launch<Teams::threads, Teams::together>(executor, blocks, chosen, bytes, program);
    }
    // The most memory that a block may have.
    std::int64_t block_memory() const { return block_memory_; }

    template <class Real>
    std::unique_ptr<LinePlan<Real>> make_plan(LineKind kind, LineShape shape, Direction direction) {
        auto lines = StreamDevice::make_plan<Real>(kind, shape, direction);
        if (lines->plan()) work_bytes_ = std::max(work_bytes_, lines->plan()->work_bytes());
        return lines;
    }
    template <class Real> void execute(int executor, const CudaPlan<Real>& plan, Complex<Real>* data) {
        plan.execute(stream(executor), data, work_area(executor, plan.work_bytes()));
    }
    void forget_plans();
    // Bytes of the transforms' work areas.
    std::int64_t bytes() const { return static_cast<std::int64_t>(stream_count * work_bytes_); }

    // Raises the maxima to the kernel's values at all elements of its rows.
    template <class Kernel> void raise(int executor, std::int64_t rows, const Kernel& kernel) {
        if (rows == 0) return;
        start(cuda::raise_rows<Kernel>, std::min<std::int64_t>(rows, 8LL * processors_), cuda::block_threads,
              0, executor, kernel, rows, raised_.data());
    }
    // The maxima since forget_raised(); NaN where a value was not finite.
    std::array<double, 2> raised();
    void forget_raised();

    // Calls item(i, values) for all items, which adds to the first `sums` of values and raises the `maxima`
    // that follow. Ranges of items are combined in order, so that the result is always the same.
    template <class Item>
    std::vector<double> reduce(std::int64_t items, int sums, int maxima, const Item& item) {
        constexpr std::int64_t most_blocks = 1 << 15;
        const int terms = sums + maxima;
        std::vector<double> total(static_cast<std::size_t>(terms), 0.0);
        if (items == 0 || terms == 0) return total;
        const std::int64_t blocks =
            std::clamp<std::int64_t>(most_values / terms - 1, 1, std::min(items, most_blocks));
        finish();
        double* const values = reduction_area(static_cast<std::size_t>(blocks * terms) + total.size());
        double* const sum = values + blocks * terms;
        const auto grid = static_cast<unsigned>((blocks + cuda::block_threads - 1) / cuda::block_threads);
        cuda::add_items<<<grid, cuda::block_threads, 0, stream(0)>>>(item, items, blocks, terms, values);
        WHORL_CUDA(cudaGetLastError());
        cuda::combine(stream(0), values, blocks, sums, terms, sum);
        finish();
        fetch_reduction(total.data(), sum, total.size() * sizeof(double));
        return total;
    }

    // Nothing is under way when this returns.
    void finish();

  private:
    template <int most_threads, int together, class Program>
    void launch(int executor, std::int64_t blocks, int threads, std::int64_t bytes, const Program& program) {
        const auto kernel = cuda::run_program<Program, most_threads, together>;
        cuda::allow_memory(kernels_.in_place_of(reinterpret_cast<const void*>(kernel)), block_memory_);
        start(kernel, blocks, threads, bytes, executor, program, raised_.data());
    }
    template <class... Parameters>
    void start(void (*kernel)(Parameters...), std::int64_t blocks, int threads, std::int64_t bytes,
               int executor, std::decay_t<Parameters>... parameters) {
        void* arguments[] = {&parameters...};
        WHORL_CUDA(cudaLaunchKernel(kernels_.in_place_of(reinterpret_cast<const void*>(kernel)),
                                    dim3(static_cast<unsigned>(blocks)), dim3(static_cast<unsigned>(threads)),
                                    arguments, static_cast<std::size_t>(bytes), stream(executor)));
    }
    cudaStream_t stream(int executor) const { return streams_[static_cast<std::size_t>(executor)]; }
    void join();
    void* work_area(int executor, std::size_t bytes);
    // Zeroed memory for `values` values.
    double* reduction_area(std::size_t values);
    static constexpr std::int64_t most_values = 1 << 22; // of all ranges of a reduction
    static void fetch_reduction(void* to, const void* from, std::size_t bytes);

    std::array<cudaStream_t, stream_count> streams_{};
    std::array<cudaEvent_t, stream_count> events_{};
    std::array<Buffer<char, CudaMemory>, stream_count> work_;
    std::size_t work_bytes_ = 0;
    int processors_ = 1, block_memory_ = 0;
    Buffer<unsigned long long, CudaMemory> raised_;
    Buffer<double, CudaMemory> reduced_;
    cuda::KernelsOf kernels_;
};

} // namespace whorl::device

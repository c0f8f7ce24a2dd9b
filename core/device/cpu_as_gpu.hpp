// The streams of a GPU without a GPU, for tests. Work runs when something waits for it, as late as streams
// permit (deferred.hpp). Its memory is closed to the host, and FFTW transforms lines. Where streams leave the
// order open, an unusual one is chosen. The members are those of Cuda.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "base/complex.hpp"
#include "base/error.hpp"
#include "base/maximum.hpp"
#include "device/buffer.hpp"
#include "device/compiled.hpp"
#include "device/deferred.hpp"
#include "device/line_plan.hpp"
#include "device/separate_memory.hpp"
#include "device/stream_device.hpp"

namespace whorl::device {

// Complex lines by FFTW, in place.
template <class Real> class HostPlan {
  public:
    static std::unique_ptr<HostPlan> make(const LineShape& shape, Direction direction) {
        return std::make_unique<HostPlan>(shape, direction);
    }
    HostPlan(const LineShape& shape, Direction direction)
        : lines_(device::LinePlan<Real>::make(LineKind::estimated, shape, direction)) {}
    void execute(Complex<Real>* data) const { lines_->execute(data, nullptr); }

  private:
    std::unique_ptr<device::LinePlan<Real>> lines_;
};

// The threads of a block (block_plan.hpp), which run one after another: first every other item, from the last
// on, then the rest.
class HostTeam {
  public:
    HostTeam(unsigned char* memory, std::array<double, 2>& largest) : memory_(memory), largest_(largest) {}

    template <class F> void each(int items, const F& f) const {
        for (int i = items - 1; i >= 0; i -= 2) f(i);
        for (int i = items % 2; i < items; i += 2) f(i);
    }
    template <int together, class Get, class Put>
    void gather(int items, const Get& get, const Put& put) const {
        std::array<decltype(get(0)), static_cast<std::size_t>(together)> values;
        for (int end = items; end > 0; end -= together) {
            const int first = std::max(0, end - together);
            for (int i = first; i < end; ++i) values[static_cast<std::size_t>(i - first)] = get(i);
            for (int i = first; i < end; ++i) put(i, values[static_cast<std::size_t>(i - first)]);
        }
        if (items > 0) put(0, get(0));
    }
    template <class Kernel, class F> void raise(int items, const F& f) const {
        each(items, [&](int i) {
            typename Kernel::Value measured[Kernel::maxima];
            f(i, measured);
            for (std::size_t m = 0; m < static_cast<std::size_t>(Kernel::maxima); ++m)
                raise_to(measured[m], largest_[m]);
        });
    }
    template <class T> T* memory() const { return reinterpret_cast<T*>(memory_); }
    template <class T> void add(T* to, T value) const { *to += value; }

    static void raise_to(double value, double& largest) {
        if (!(value - value == 0.0)) largest = std::numeric_limits<double>::quiet_NaN();
        if (value > largest) largest = value;
    }

  private:
    unsigned char* memory_;
    std::array<double, 2>& largest_;
};

class CpuAsGpu : public StreamDevice<CpuAsGpu, HostPlan, SeparateMemory> {
  public:
    using HostSide = HostMemory;

    explicit CpuAsGpu(int) {
        for (int stream = 0; stream < stream_count; ++stream) streams_.add(Deferred::Starts::late);
    }
    // A stream for exchanges, which this device outlives.
    std::unique_ptr<SideStream> side_stream() {
        return std::make_unique<DeferredSideStream>(streams_, stream_count);
    }

    // Calls work(executor, item), which enqueues, for every item. Work enqueued earlier runs before all
    // items, work enqueued later after them.
    template <class Work> void each(std::int64_t items, const Work& work) {
        join();
        for (std::int64_t item = 0; item < items; ++item) work(static_cast<int>(item % stream_count), item);
        join();
    }

    template <class Kernel> void for_each(int executor, std::int64_t rows, const Kernel& kernel) {
        enqueue(executor, [rows, kernel] { run_rows(rows, kernel); });
    }

    // Runs a program in blocks of threads with `bytes` bytes of memory each (block_plan.hpp).
    template <class Program>
    void for_blocks(int executor, std::int64_t blocks, std::int64_t bytes, const Program& program) {
        WHORL_REQUIRE(bytes <= block_memory(), "a block asks for more memory than there is.");
        enqueue(executor, [this, blocks, bytes, program] {
            for (std::int64_t block = blocks - 1; block >= 0; --block) {
                program(block, HostTeam(fresh_memory(bytes), raised_));
                check_memory(bytes);
            }
        });
    }
    // The most memory that a block may have: that of an H100.
    static std::int64_t block_memory() { return 227 << 10; }

    template <class Real> void execute(int executor, const HostPlan<Real>& plan, Complex<Real>* data) {
        enqueue(executor, [&plan, data] { plan.execute(data); });
    }
    // Bytes of the transforms' work areas.
    std::int64_t bytes() const { return 0; }

    // Raises the maxima to the kernel's values at all elements of its rows.
    template <class Kernel> void raise(int executor, std::int64_t rows, const Kernel& kernel) {
        enqueue(executor, [this, rows, kernel] {
            for (std::int64_t r = 0; r < rows; ++r) raise_row(kernel.row(r), kernel);
        });
    }
    // The maxima since forget_raised(); NaN where a value was not finite.
    std::array<double, 2> raised() {
        finish();
        ++transfers().reductions;
        return raised_;
    }
    void forget_raised() {
        enqueue(0, [this] { raised_ = {0.0, 0.0}; });
    }

    // Calls item(i, values) for all items, which adds to the first `sums` of values and raises the `maxima`
    // that follow. Ranges of items are combined in order.
    template <class Item>
    std::vector<double> reduce(std::int64_t items, int sums, int maxima, const Item& item) {
        finish();
        const SeparateMemory::Opened opened;
        const std::size_t terms = static_cast<std::size_t>(sums + maxima);
        std::vector<double> total(terms, 0.0);
        for (std::int64_t block = 0; block < most_blocks; ++block) {
            std::vector<double> values(terms, 0.0);
            for (std::int64_t i = block * items / most_blocks; i < (block + 1) * items / most_blocks; ++i)
                item(i, values.data());
            for (std::size_t t = 0; t < terms; ++t)
                total[t] =
                    t < static_cast<std::size_t>(sums) ? total[t] + values[t] : larger(values[t], total[t]);
        }
        ++transfers().reductions;
        return total;
    }

    // Runs all work of the executors, and first the work that it waits for.
    void finish();

  private:
    static constexpr std::int64_t most_blocks = 64;

    // The memory of a block, full of NaN, with a margin after it.
    unsigned char* fresh_memory(std::int64_t bytes);
    // Throws Error if a block has written beyond its memory.
    void check_memory(std::int64_t bytes) const;

    void join();
    void enqueue(int executor, Deferred::Work work) { streams_.enqueue(executor, std::move(work)); }
    template <class Kernel> static void run_rows(std::int64_t rows, const Kernel& kernel) {
        for (std::int64_t r = 0; r < rows; ++r) {
            const auto row = kernel.row(r);
            for (std::int64_t i = 0; i < row.length; ++i) row(i);
        }
    }
    template <class Row, class Kernel> void raise_row(const Row& row, const Kernel&) {
        typename Kernel::Value measured[Kernel::maxima > 0 ? Kernel::maxima : 1];
        for (int i = 0; i < row.length; ++i) {
            row(i, measured);
            for (std::size_t m = 0; m < static_cast<std::size_t>(Kernel::maxima); ++m)
                HostTeam::raise_to(measured[m], raised_[m]);
        }
    }

    Deferred streams_; // those of the executors first
    std::array<double, 2> raised_{};
    Buffer<unsigned char> memory_;
};

} // namespace whorl::device

// A GPU's orchestration without a GPU: work is enqueued on streams and runs when somebody waits for it, in
// memory the host may not touch, with FFTW for lines. What the order of streams leaves open is run in the
// order in which nobody would think of it. For tests; every member is Cuda's.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "base/complex.hpp"
#include "base/error.hpp"
#include "device/buffer.hpp"
#include "device/compiled.hpp"
#include "device/lines.hpp"
#include "device/separate_memory.hpp"
#include "device/stream_lines.hpp"

namespace whorl::device {

// Complex lines of FFTW in place.
template <class Real> class HostPlan {
  public:
    static std::unique_ptr<HostPlan> make(const LineShape& shape, Direction direction) {
        return std::make_unique<HostPlan>(shape, direction);
    }
    HostPlan(const LineShape& shape, Direction direction)
        : lines_(device::Lines<Real>::make(LineKind::estimated, shape, direction)) {}
    void execute(Complex<Real>* data) const { lines_->execute(data, nullptr); }

  private:
    std::unique_ptr<device::Lines<Real>> lines_;
};

class CpuAsGpu {
  public:
    using Memory = SeparateMemory;
    using HostSide = HostMemory;
    template <class Real> using Lines = StreamLines<HostPlan<Real>, SeparateMemory, Real>;
    static constexpr bool streams = true;
    static constexpr bool known_plans = false;

    explicit CpuAsGpu(int) { begin_round(); }

    int executors() const { return stream_count; }

    // work(executor, item) enqueues an item; what came before all of them runs before, what comes after,
    // after.
    template <class Work> void each(std::int64_t items, const Work& work) {
        begin_round();
        for (std::int64_t item = 0; item < items; ++item) work(static_cast<int>(item % stream_count), item);
        begin_round();
    }

    template <class Kernel> void for_each(int executor, std::int64_t rows, const Kernel& kernel) {
        enqueue(executor, [rows, kernel] { run_rows(rows, kernel); });
    }
    template <class Kernel> void over(std::int64_t rows, const Kernel& kernel) {
        each(1, [&](int executor, std::int64_t) { for_each(executor, rows, kernel); });
    }

    template <class Real>
    static std::unique_ptr<Lines<Real>> make_lines(LineKind kind, LineShape shape, Direction direction) {
        WHORL_REQUIRE(kind == LineKind::automatic || shape.n == 1,
                      "a GPU has lines of its own: choose lines = \"auto\".");
        return std::make_unique<Lines<Real>>(shape, direction);
    }
    template <class Real>
    void transform(int executor, const Lines<Real>& lines, Complex<Real>* data, Complex<Real>* scratch) {
        lines.execute(
            data, scratch, [&](std::int64_t rows, const auto& kernel) { for_each(executor, rows, kernel); },
            [&](const HostPlan<Real>& plan, Complex<Real>* at) {
                enqueue(executor, [&plan, at] { plan.execute(at); });
            });
    }
    // Of the transforms' work areas.
    std::int64_t bytes() const { return 0; }

    // The largest of kernel's values at all elements of its rows, until raised() gives them back.
    template <class Kernel> void raise(int executor, std::int64_t rows, const Kernel& kernel) {
        enqueue(executor, [this, rows, kernel] {
            for (std::int64_t r = 0; r < rows; ++r) raise_row(kernel.row(r), kernel);
        });
    }
    // NaN where one was not finite.
    std::array<double, 2> raised() {
        finish();
        const std::array<double, 2> largest = raised_;
        raised_ = {0.0, 0.0};
        ++transfers().reductions;
        return largest;
    }

    // item(i, values) adds to the first `sums` of values and raises the `maxima` that follow; over all items.
    // Blocks of items are combined in order.
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
                total[t] = t < static_cast<std::size_t>(sums) ? total[t] + values[t]
                                                              : (values[t] > total[t] ? values[t] : total[t]);
        }
        ++transfers().reductions;
        return total;
    }

    // Runs all that was enqueued.
    void finish();

  private:
    static constexpr std::int64_t most_blocks = 64;
    using Queue = std::vector<std::function<void()>>;

    void begin_round() { rounds_.emplace_back(); }
    void enqueue(int executor, std::function<void()> work) {
        rounds_.back()[static_cast<std::size_t>(executor)].push_back(std::move(work));
    }
    template <class Kernel> static void run_rows(std::int64_t rows, const Kernel& kernel) {
#pragma omp parallel for schedule(static)
        for (std::int64_t r = 0; r < rows; ++r) {
            const auto row = kernel.row(r);
            for (std::int64_t i = 0; i < row.length; ++i) row(i);
        }
    }
    template <class Row, class Kernel> void raise_row(const Row& row, const Kernel&) {
        typename Kernel::Value measured[Kernel::maxima > 0 ? Kernel::maxima : 1];
        for (int i = 0; i < row.length; ++i) {
            row(i, measured);
            for (std::size_t m = 0; m < static_cast<std::size_t>(Kernel::maxima); ++m) {
                const double value = measured[m];
                if (!(value - value == 0.0)) raised_[m] = std::numeric_limits<double>::quiet_NaN();
                if (value > raised_[m]) raised_[m] = value;
            }
        }
    }

    std::vector<std::array<Queue, stream_count>> rounds_;
    std::array<double, 2> raised_{};
};

} // namespace whorl::device

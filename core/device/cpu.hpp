// The CPU as a device. An executor is a thread. Kernels are structs whose row(r) gives a Row with a length
// and operator()(i): the same kernel is a vectorised loop here and a thread block on a GPU.
//
// The members of a device (docs/architecture.md): Memory, LinePlan, executors() with each(), for_each() and
// transform() by one of them, over() and reduce() by all, finish(). `streams` says that they are GPU streams:
// work runs in order on each executor and after all that was enqueued before an each().
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/maximum.hpp"
#include "device/buffer.hpp"
#include "device/line_plan.hpp"

namespace whorl::device {

// The largest values of a kernel, collected by a thread.

// The largest of a kernel's `maxima` values >= 0 of each element, lane by lane so that it vectorises. A NaN
// or an infinity makes `spoilt` NaN, and with it all maxima.
template <class Kernel> struct Maxima {
    static constexpr int lanes = 16, maxima = Kernel::maxima, held = maxima > 0 ? maxima : 1;
    using Value = typename Kernel::Value;
    Value largest[held][lanes] = {};
    Value spoilt[lanes] = {};

    template <class Row> void add(const Row& row) {
        for (std::int64_t i = 0; i < row.length; i += lanes) {
            const std::int64_t left = row.length - i;
            if (left >= lanes)
                for (int l = 0; l < lanes; ++l) add_element(row, i + l, l);
            else
                for (int l = 0; l < static_cast<int>(left); ++l) add_element(row, i + l, l);
        }
    }
    double value(int m) const {
        double result = 0.0;
        for (int l = 0; l < lanes; ++l) {
            result = largest[m][l] > result ? largest[m][l] : result;
            if (!(spoilt[l] == Value(0))) return static_cast<double>(spoilt[l]);
        }
        return result;
    }

  private:
    template <class Row> void add_element(const Row& row, std::int64_t i, int lane) {
        Value measured[held];
        row(i, measured);
        for (int m = 0; m < maxima; ++m) {
            largest[m][lane] = measured[m] > largest[m][lane] ? measured[m] : largest[m][lane];
            spoilt[lane] += measured[m] - measured[m];
        }
    }
};

class Cpu {
  public:
    using Memory = HostMemory;
    using HostSide = HostMemory; // for copies to and from Memory
    template <class Real> using LinePlan = device::LinePlan<Real>;
    static constexpr bool streams = false;

    // threads = 0 uses as many as OpenMP offers.
    explicit Cpu(int threads);

    int executors() const { return threads_; }

    // Calls work(executor, item) for every item; each executor takes the next free item.
    template <class Work> void each(std::int64_t items, const Work& work) const {
        each_item(items, &work, [](const void* of, int executor, std::int64_t item) {
            (*static_cast<const Work*>(of))(executor, item);
        });
    }

    // Runs every element of every row of a kernel, on one executor.
    template <class Kernel> static void for_each(int, std::int64_t rows, const Kernel& kernel) {
        for (std::int64_t r = 0; r < rows; ++r) run_row(kernel.row(r));
    }
    template <class Row> static void run_row(const Row& row) { run(row.length, row); }
    template <class F> static void run(std::int64_t length, const F& f) {
#pragma omp simd
        for (std::int64_t i = 0; i < length; ++i) f(i);
    }

    // for_each() on all executors, each of which does some rows at a time.
    template <class Kernel> void over(std::int64_t rows, const Kernel& kernel) const {
        const std::int64_t ranges = rows < 1024 ? rows : 1024;
        each(ranges, [&](int, std::int64_t i) {
            for (std::int64_t r = i * rows / ranges; r < (i + 1) * rows / ranges; ++r) run_row(kernel.row(r));
        });
    }

    template <class Real>
    static std::unique_ptr<LinePlan<Real>> make_plan(LineKind kind, LineShape shape, Direction direction) {
        return LinePlan<Real>::make(kind, shape, direction);
    }
    template <class Real>
    void transform(int, const device::LinePlan<Real>& lines, Complex<Real>* data,
                   Complex<Real>* scratch) const {
        lines.execute(data, scratch);
    }
    // Nothing is under way when this returns.
    void finish() const {}

    // Raises the maxima to the kernel's values at all elements of its rows.
    template <class Kernel> void raise(int executor, std::int64_t rows, const Kernel& kernel) {
        Maxima<Kernel> maxima;
        for (std::int64_t r = 0; r < rows; ++r) maxima.add(kernel.row(r));
        raise(executor, maxima);
    }
    template <class Kernel> void raise(int executor, const Maxima<Kernel>& maxima) {
        auto& known = raised_[static_cast<std::size_t>(executor)];
        for (int m = 0; m < Maxima<Kernel>::maxima; ++m) {
            const double value = maxima.value(m);
            double& largest = known[static_cast<std::size_t>(m)];
            largest =
                larger(std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN(), largest);
        }
    }
    // The maxima since forget_raised(); NaN where a value was not finite.
    std::array<double, 2> raised() const {
        std::array<double, 2> largest{0.0, 0.0};
        for (const auto& of_executor : raised_)
            for (std::size_t m = 0; m < 2; ++m) largest[m] = larger(largest[m], of_executor[m]);
        return largest;
    }
    void forget_raised() {
        for (auto& of_executor : raised_) of_executor = {0.0, 0.0};
    }

    // Prefetches memory that is read, or written, next into the second cache, or with near = 3 into the
    // first.
    template <bool to_write = false, int near = 2> static void fetch(const void* from, std::size_t bytes) {
        constexpr std::size_t line = 64;
        for (std::size_t i = 0; i < bytes; i += line)
            __builtin_prefetch(static_cast<const char*>(from) + i, to_write, near);
    }

    // Copies past the caches to memory that is not read soon, without reading its old contents. Other threads
    // see the copy when the each() it runs in has ended.
    static void copy_past_caches(void* to, const void* from, std::size_t bytes);
    // copy_past_caches() next to memory that another thread may write: cache lines that are not written as a
    // whole go through the caches.
    static void copy_past_caches_within(void* to, const void* from, std::size_t bytes);

    // Calls item(i, values) for all items, which adds to the first `sums` of values and raises the `maxima`
    // that follow. Ranges of items are combined in order, so the result does not depend on the number of
    // threads.
    template <class Item>
    std::vector<double> reduce(std::int64_t items, int sums, int maxima, const Item& item) const {
        const std::int64_t ranges = items < 64 ? items : 64;
        const std::size_t terms = static_cast<std::size_t>(sums + maxima);
        std::vector<double> partial(static_cast<std::size_t>(ranges) * terms, 0.0);
        each(ranges, [&](int, std::int64_t b) {
            double* const values = partial.data() + static_cast<std::size_t>(b) * terms;
            for (std::int64_t i = b * items / ranges; i < (b + 1) * items / ranges; ++i) item(i, values);
        });
        std::vector<double> total(terms, 0.0);
        for (std::size_t b = 0; b < static_cast<std::size_t>(ranges); ++b)
            for (std::size_t t = 0; t < terms; ++t) {
                const double value = partial[b * terms + t];
                total[t] = t < static_cast<std::size_t>(sums) ? total[t] + value : larger(value, total[t]);
            }
        return total;
    }

  private:
    // Compiled once, and not for every kind of work.
    void each_item(std::int64_t items, const void* work,
                   void (*call)(const void* work, int executor, std::int64_t item)) const;

    int threads_;
    std::vector<std::array<double, 2>> raised_; // by executors
};

} // namespace whorl::device

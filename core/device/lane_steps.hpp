// The steps of a transform of mixed radix by decimation in frequency over rows of vectors of lanes (Van
// Loan, Computational Frameworks for the FFT, chapter 2): n = r m points become r independent lines of m
// points.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/complex.hpp"
#include "base/macros.hpp"
#include "base/unrolled.hpp"
#include "device/buffer.hpp"
#include "device/butterflies.hpp"
#include "device/level.hpp"
#include "device/radices.hpp"

namespace whorl::device {

// Rows of a step in scratch memory, in order.
template <class V> struct ScratchRows {
    using Value = V;
    V* data;
    WHORL_INLINE V get(int row) const { return data[row]; }
    WHORL_INLINE void set(int row, const V& value) const { data[row] = value; }
    WHORL_INLINE ScratchRows from(int row) const { return {data + row}; }
};
// Rows of a step in scratch memory, in the order of a table.
template <class V> struct TableRows {
    using Value = V;
    V* data;
    const int* table;
    WHORL_INLINE V get(int row) const { return data[table[row]]; }
    WHORL_INLINE void set(int row, const V& value) const { data[table[row]] = value; }
    WHORL_INLINE TableRows from(int row) const { return {data, table + row}; }
};

// The order of the radices of a line's steps: that of radices(), or the reverse with at least two steps.
enum class Order { rising, falling };

// Lines of n points in steps of small radices, in place but for the last, which also puts the results in
// order.
template <class Real> class LaneSteps {
  public:
    explicit LaneSteps(int n, Order order = Order::rising);
    int points() const { return n_; }
    int last_radix() const { return last_radix_; }
    // The first result of a group of last_radix() points; the others follow every n / last_radix().
    int result(int group) const { return results_[static_cast<std::size_t>(group)]; }
    const int* results() const { return results_.data(); }

    // The position of each result in the line when the last step works in place.
    std::vector<int> positions() const;

    // Transforms from rows through n values of scratch memory to rows. All of `from` is read before `to` is
    // written.
    template <class Value, class From, class To>
    void run(const From& from, const To& to, Value* scratch) const {
        const ScratchRows<Value> line{scratch};
        first(from, line);
        middle(line);
        last(line, to);
    }

    // The first step, or a copy if the first is the last.
    template <class From, class Line> void first(const From& from, const Line& line) const;
    // All steps between the first and the last, in place.
    template <class Line> void middle(const Line& line) const;
    template <class Line, class To> void last(const Line& line, const To& to) const;
    // Butterfly p of the first step, of this radix, on its points p + m t, t = 0, 1, ...
    template <int radix, class Value> void first_of(int p, const Value* points, Value* results) const;

  private:
    struct Step {
        int radix, m;
        std::vector<Real> twiddles; // [p][u - 1], cos then sin
    };
    // b[p + m u] = w^(p u) sum_t a[p + m t] exp(-2 pi i t u / r),  w = exp(-2 pi i / (m r)),  p < m
    template <int radix, class From, class To>
    static WHORL_INLINE void butterfly(const Step& step, int p, const From& from, const To& to) {
        const int m = step.m;
        typename From::Value a[radix];
        // Unrolled, since rows that do more than load and store would keep `a` in memory.
        unrolled<radix>([&](auto t) WHORL_INSIDE { a[t] = from.get(p + m * t); });
        times_twiddles<radix>(step, p, a);
        unrolled<radix>([&](auto u) WHORL_INSIDE { to.set(p + m * u, a[u]); });
    }
    template <int radix, class Value>
    static WHORL_INLINE void times_twiddles(const Step& step, int p, Value* a) {
        const Real* const w = step.twiddles.data() + 2 * static_cast<std::int64_t>(p) * (radix - 1);
        Butterfly<radix, Real>::run(a);
        for (int u = 1; u < radix; ++u) a[u] = turned(a[u], w[2 * u - 2], w[2 * u - 1]);
    }

    int n_;
    std::vector<Step> steps_; // all but the last
    int last_radix_;
    std::vector<int> results_;
};

template <class Real>
template <class From, class Line>
void LaneSteps<Real>::first(const From& from, const Line& line) const {
    if (steps_.empty()) {
        for (int j = 0; j < n_; ++j) line.set(j, from.get(j));
        return;
    }
    with_radix(steps_[0].radix, [&](auto radix) {
        for (int p = 0; p < steps_[0].m; ++p) butterfly<radix>(steps_[0], p, from, line);
    });
}

template <class Real> template <class Line> void LaneSteps<Real>::middle(const Line& line) const {
    for (std::size_t i = 1; i < steps_.size(); ++i) {
        const Step& step = steps_[i];
        with_radix(step.radix, [&](auto radix) {
            for (int base = 0; base < n_; base += step.m * radix)
                for (int p = 0; p < step.m; ++p) butterfly<radix>(step, p, line.from(base), line.from(base));
        });
    }
}

template <class Real>
template <class Line, class To>
void LaneSteps<Real>::last(const Line& line, const To& to) const {
    with_radix(last_radix_, [&](auto radix) {
        const int groups = n_ / radix;
        for (int group = 0; group < groups; ++group) {
            typename Line::Value a[radix];
            unrolled<radix>([&](auto t) WHORL_INSIDE { a[t] = line.get(group * radix + t); });
            Butterfly<radix, Real>::run(a);
            unrolled<radix>([&](auto u) WHORL_INSIDE { to.set(result(group) + groups * u, a[u]); });
        }
    });
}

template <class Real>
template <int radix, class Value>
void LaneSteps<Real>::first_of(int p, const Value* points, Value* results) const {
    // The parts are copied one by one: copies of whole arrays would become calls.
    Value a[radix];
    unrolled<radix>([&](auto t) { a[t] = {points[t].re, points[t].im}; });
    times_twiddles<radix>(steps_[0], p, a);
    unrolled<radix>([&](auto u) {
        results[u].re = a[u].re;
        results[u].im = a[u].im;
    });
}

} // namespace whorl::device

// The pass of increments: inputs -> points -> quantities of whole rows -> sums of moments.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/exact_sum.hpp"
#include "base/macros.hpp"
#include "device/level.hpp"
#include "programs/interpreter.hpp"
#include "programs/program_parts.hpp"
#include "roundtrip/point_arrays.hpp"

namespace whorl::programs {

// Moments of increments along rows that close on themselves. With d_q = v_q(x + s) - v_q(x), s in points:
//   for each quantity q   sums over x of |d_q|^p, p = 1, ..., order, then of d_q^p, p = 3, 5, ... <= order
//   for each pair (a, b)  sums over x of d_a d_b^2
// in double precision, one x after another. Monin and Yaglom, Statistical Fluid Mechanics 2, section 21.
inline constexpr int highest_order = 8;

// The moments and their numbers: those of each quantity, then those of the pairs.
struct IncrementShape {
    int quantities = 0, order = 0, pairs = 0, separations = 0;

    static constexpr WHORL_INLINE int odd_of(int order) { return (order - 1) / 2; }
    static constexpr int most_together = highest_order + (highest_order - 1) / 2; // moments of a group
    WHORL_INLINE int of_quantity() const { return order + odd_of(order); }
    WHORL_INLINE int moments() const { return quantities * of_quantity() + pairs; }
    // Sums that are made together: the moments of a quantity, or of some pairs, since each addition to a sum
    // waits for the one before.
    static constexpr int pairs_together = 2;
    WHORL_INLINE int groups() const { return quantities + (pairs + pairs_together - 1) / pairs_together; }
    WHORL_INLINE int first_pair(int group) const { return (group - quantities) * pairs_together; }
    WHORL_INLINE int first_moment(int group) const {
        return group < quantities ? group * of_quantity() : quantities * of_quantity() + first_pair(group);
    }
};

// The magnitude of a number, or of each of a vector.
template <class Value> WHORL_INLINE Value magnitude(const Value& value) {
    if constexpr (std::is_floating_point_v<Value>) {
        return std::abs(value);
    } else {
        using Bits = decltype(value < value);
        return std::bit_cast<Value>(std::bit_cast<Bits>(value) & std::numeric_limits<std::int64_t>::max());
    }
}

// Sums of powers of an increment; Value is a number or a vector of them. No more than four powers are kept at
// a time, so that all sums stay in sixteen registers.
template <int order, class Value> struct PowerSums {
    static constexpr int odd = IncrementShape::odd_of(order), count = order + odd;
    Value sums[count] = {};

    WHORL_INLINE void add(const Value& d) {
        Value unused{};
        const auto of = [&](int p) WHORL_INSIDE -> Value& { return p <= order ? sums[p - 1] : unused; };
        const auto odd_of = [&](int p) WHORL_INSIDE -> Value& {
            return p <= order ? sums[order + p / 2 - 1] : unused;
        };
        const Value d1 = magnitude(d), d2 = d * d, d4 = d2 * d2;
        of(1) += d1;
        of(2) += d2;
        of(3) += d2 * d1;
        odd_of(3) += d2 * d;
        of(4) += d4;
        of(5) += d4 * d1;
        odd_of(5) += d4 * d;
        of(8) += d4 * d4;
        const Value d6 = d4 * d2;
        of(6) += d6;
        of(7) += d6 * d1;
        odd_of(7) += d6 * d;
    }
};

// Calls use.operator()<order>().
template <int highest = highest_order, class Use> WHORL_INLINE void with_order(int order, const Use& use) {
    if constexpr (highest > 1)
        if (order < highest) return with_order<highest - 1>(order, use);
    use.template operator()<highest>();
}

// Calls use(from, to) for all n pairs of points x and x + separation, in the order of x.
template <class Use> WHORL_INLINE void each_pair_of_points(int n, int separation, const Use& use) {
    for (int x = 0; x < n - separation; ++x) use(x, x + separation);
    for (int x = n - separation; x < n; ++x) use(x, x + separation - n);
}

// The sums of a group of moments along a row: value(quantity, x) is a number or a vector of them, and
// put(n, sum) takes the n-th of the group.
template <class Value, class Values, class Put>
WHORL_INLINE void sum_increments(const IncrementShape& shape, int group, const std::array<int, 2>* pairs,
                                 int n, int separation, const Values& value, const Put& put) {
    if (group >= shape.quantities) {
        const int first = shape.first_pair(group), left = shape.pairs - first;
        const std::array<int, 2>*const one = pairs + first, *const other = left > 1 ? one + 1 : one;
        const int a = (*one)[0], b = (*one)[1], c = (*other)[0], d = (*other)[1];
        Value sums[IncrementShape::pairs_together] = {};
        each_pair_of_points(n, separation, [&](int from, int to) {
            const Value of_b = value(b, to) - value(b, from), of_d = value(d, to) - value(d, from);
            sums[0] += (value(a, to) - value(a, from)) * (of_b * of_b);
            sums[1] += (value(c, to) - value(c, from)) * (of_d * of_d);
        });
        for (int m = 0; m < left && m < IncrementShape::pairs_together; ++m) put(m, sums[m]);
        return;
    }
    with_order(shape.order, [&]<int order>() {
        PowerSums<order, Value> powers;
        each_pair_of_points(n, separation,
                            [&](int from, int to) { powers.add(value(group, to) - value(group, from)); });
        for (int m = 0; m < powers.count; ++m) put(m, powers.sums[m]);
    });
}

// The totals to which rows are added. Sums of rows or, on threads, of blocks of rows are added exactly: a sum
// of a separation and a moment is `words` words, [separation][moment][word].
struct IncrementTotals {
    static constexpr int words = ExactSum::word_count;

    IncrementShape shape;
    const int* separations = nullptr;
    const std::array<int, 2>* pairs = nullptr;
    std::uint64_t* totals = nullptr; // on threads of each executor

    WHORL_INLINE std::int64_t sums() const { return 1LL * shape.separations * shape.moments(); }
    WHORL_INLINE std::uint64_t* total(int separation, int moment) const {
        return totals + (1LL * separation * shape.moments() + moment) * words;
    }
};

// On threads: the rows of a block, [quantity][x][row], which an executor collects until they are whole. Rows
// that a block lacks are zero, and have no increments.
struct alignas(64) CollectedRows {
    using Lanes = typename device::VectorOf<double, device::vector_bytes>::type;
    static constexpr int lanes = device::VectorOf<double, device::vector_bytes>::lanes;

    double* values = nullptr;
    int points = 0; // that have come

    // Rows of a block fill whole vectors.
    static int pitch(int rows) { return (rows + lanes - 1) / lanes * lanes; }

    // Sums the rows of a block in their order, and adds their sum exactly to the totals. A template, since a
    // compiler of device code knows no vectors.
    template <class Value = Lanes> void add(const IncrementTotals& to, int n, int rows) const {
        constexpr int most = IncrementShape::most_together;
        for (int s = 0; s < to.shape.separations; ++s)
            for (int group = 0; group < to.shape.groups(); ++group) {
                Value sums[most] = {};
                int count = 0;
                for (int first = 0; first < pitch(rows); first += lanes) {
                    const auto value = [&](int quantity, int x) {
                        const double* const at = values + (1LL * quantity * n + x) * pitch(rows) + first;
                        return *reinterpret_cast<const Value*>(at);
                    };
                    const auto put = [&](int m, const Value& sum) {
                        sums[m] += sum;
                        count = m + 1;
                    };
                    sum_increments<Value>(to.shape, group, to.pairs, n, to.separations[s], value, put);
                }
                for (int m = 0; m < count; ++m)
                    add_lanes(to.total(s, to.shape.first_moment(group) + m), sums[m]);
            }
    }

  private:
    template <class Value> static void add_lanes(std::uint64_t* total, const Value& sums) {
        double sum = 0.0;
        for (int lane = 0; lane < lanes; ++lane) sum += sums[lane];
        ExactSum::add_to(total, sum, [](std::uint64_t* word, std::uint64_t value) { *word += value; });
    }
};

// On a GPU: the sums of a batch's rows, [row][separation][moment]. A row of the kernel is a row along x, with
// all separations and groups of moments.
template <class Real> struct SumRowIncrements {
    IncrementTotals to;
    const Real* values; // [quantity][row][x] of the batch
    double* sums;
    std::int64_t rows;
    int nx;

    struct RowOf {
        const SumRowIncrements& of;
        std::int64_t number;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const IncrementShape& shape = of.to.shape;
            const int s = static_cast<int>(i) % shape.separations,
                      group = static_cast<int>(i) / shape.separations;
            double* const own = of.sums + (number * shape.separations + s) * shape.moments();
            sum_increments<double>(
                shape, group, of.to.pairs, of.nx, of.to.separations[s],
                [&](int quantity, int x) {
                    return static_cast<double>(of.values[(quantity * of.rows + number) * of.nx + x]);
                },
                [&](int m, double sum) { own[shape.first_moment(group) + m] = sum; });
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        return {*this, r, to.shape.separations * to.shape.groups()};
    }
};

// On a GPU, after SumRowIncrements: the sums over the batch's rows. A row of the kernel is a separation.
struct AddRowIncrements {
    IncrementTotals to;
    const double* sums;
    std::int64_t rows;

    struct RowOf {
        const AddRowIncrements& of;
        int separation, length;
        WHORL_INLINE void operator()(std::int64_t m) const {
            std::uint64_t* const total = of.to.total(separation, static_cast<int>(m));
            for (std::int64_t r = 0; r < of.rows; ++r)
                ExactSum::add_to(total, of.sums[r * of.to.sums() + separation * length + m],
                                 [](std::uint64_t* word, std::uint64_t value) { *word += value; });
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const { return {*this, static_cast<int>(r), to.shape.moments()}; }
};

// The first input is part of the pass itself.
template <class Real> struct IncrementPass : LinearInput<Real> {
    static constexpr int inputs = 1, products = 0, fluxes = 0;
    static constexpr bool works_on_rows = true;

    Interpreter<Real> interpreter;
    const int* results = nullptr;                     // operands
    const LinearInput<Real>* linear_inputs = nullptr; // of the host, all of them
    IncrementTotals totals;
    CollectedRows* collected = nullptr; // on threads, by executors
    int nx = 0;
    BlockArray<Real> quantities{}; // on a GPU
    const BlockCallback<Real>* at_batch = nullptr;

    Widths widths() const { return {interpreter.inputs, 0, 0, 0}; }
    template <class F> void each_part(const F& f) const {
        for (int v = interpreter.inputs - 1; v > 0; --v) f(linear_inputs[v], Firsts{v, 0, 0});
    }

    template <class Device>
    void work(int executor, const device::RowPoints<Real>& block, Real*, std::int64_t,
              const Point& first) const {
        CollectedRows& rows = collected[executor];
        interpreter.template run<Device>(
            executor, block, first,
            [&](const typename Interpreter<Real>::Operands& operands, int at, int count) {
                for (int q = 0; q < totals.shape.quantities; ++q)
                    collect(rows, q, operands.of(results[q]), block, at, count);
            });
        rows.points += block.points;
        if (rows.points < nx) return;
        rows.points = 0;
        IncrementTotals own = totals;
        own.totals += executor * totals.sums() * IncrementTotals::words;
        rows.add(own, nx, block.rows);
    }
    template <class Values> WHORL_INLINE void work_at(const Values& values, const Point& point) const {
        interpreter.run_at(values, point, [&](const auto& of) {
            for (int q = 0; q < totals.shape.quantities; ++q) quantities.at(q, point) = of(results[q]);
        });
    }
    void begin_batch(Range planes) { quantities.block.z = planes; }
    void end_batch(Range) const {
        if (at_batch) (*at_batch)(quantities.block, quantities.data);
    }

  private:
    void collect(const CollectedRows& rows, int quantity, const Real* from,
                 const device::RowPoints<Real>& block, int at, int count) const {
        const int pitch = CollectedRows::pitch(block.rows);
        for (int i = 0; i < count; ++i) {
            double* const to = rows.values + (1LL * quantity * nx + block.x(at + i)) * pitch;
            for (int r = 0; r < block.rows; ++r)
                to[r] = r < block.count ? static_cast<double>(from[i * block.rows + r]) : 0.0;
        }
    }
};

} // namespace whorl::programs

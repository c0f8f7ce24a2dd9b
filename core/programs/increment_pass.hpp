// The pass of increments: inputs -> points -> quantities of whole rows -> sums of moments.
#pragma once

#include <algorithm>

#include "base/exact_sum.hpp"
#include "device/level.hpp"
#include "programs/carried.hpp"
#include "programs/increment_moments.hpp"
#include "programs/interpreter.hpp"
#include "roundtrip/point_arrays.hpp"

namespace whorl::programs {

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
template <class Real> struct IncrementPass : CarriedInput<Real> {
    static constexpr int inputs = 1, products = 0, fluxes = 0;
    static constexpr bool works_on_rows = true;

    Interpreter<Real> interpreter;
    const int* results = nullptr;                   // operands
    const CarriedInput<Real>* carried_in = nullptr; // of the host, all of them
    IncrementTotals totals;
    CollectedRows* collected = nullptr; // on threads, by executors
    int nx = 0;
    BlockArray<Real> quantities{}; // on a GPU
    const BlockCallback<Real>* at_batch = nullptr;

    Widths widths() const { return {interpreter.inputs, 0, 0, 0}; }
    template <class F> void each_part(const F& f) const {
        for (int v = interpreter.inputs - 1; v > 0; --v) f(carried_in[v], Firsts{v, 0, 0});
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

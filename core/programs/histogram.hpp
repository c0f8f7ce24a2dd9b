// Histograms of a program's results: each point adds one to a cell, and its weights to sums of the cell.
//
// An axis has `bins` cells, of values n <= v < n + 1 for n = 0, 1, ... They are followed by a cell for values
// below, one for values above and one for NaN, so that every point is counted. Counts are whole numbers and
// sums are exact, so that neither depends on the order of the points.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/exact_sum.hpp"
#include "base/macros.hpp"

namespace whorl::programs {

// The shape of a histogram (programs/histogram.hpp).

// The operands of a histogram, among the results of a program: one for each axis, 1 or 2 of them, then the
// weights.
struct HistogramShape {
    int axes = 1;
    std::array<int, 2> bins{};
    int weights = 0;

    static constexpr int beyond = 3; // cells below, above and of NaN
    static constexpr int most_bins = 1 << 20, most_cells = 1 << 24;

    bool fits() const {
        const auto few = [](int count) { return count >= 1 && count <= most_bins; };
        if (axes < 1 || axes > 2 || weights < 0 || !few(bins[0]) || (axes == 2 && !few(bins[1])))
            return false;
        return axes == 1 || 1LL * of_axis(0) * of_axis(1) <= most_cells;
    }
    int operands() const { return axes + weights; }
    WHORL_INLINE int of_axis(int axis) const { return (axis == 0 ? bins[0] : bins[1]) + beyond; }
    WHORL_INLINE int cells() const { return axes == 1 ? of_axis(0) : of_axis(0) * of_axis(1); }
    template <class Real> static WHORL_INLINE int place(Real value, int count) {
        // Choices among real numbers and one conversion: four points at a time.
        const auto end = static_cast<Real>(count);
        Real cell = value < end ? value : end + 1;
        cell = value < Real(0) ? end : cell;
        cell = value != value ? end + 2 : cell;
        return static_cast<int>(cell);
    }
    template <class Real> WHORL_INLINE int cell(Real a, Real b) const {
        const int first = place(a, bins[0]);
        return axes == 1 ? first : first * of_axis(1) + place(b, bins[1]);
    }
};

// Counts by cell, and for each weight by cell the words of an ExactSum. On threads each executor has its own,
// with several counts of a cell side by side: neighbouring points are often in one cell, and each addition to
// the same number waits for the one before.
template <class Real> struct Histogram {
    static constexpr int words = ExactSum::word_count, copies = 4;

    HistogramShape shape;
    int first = 0; // of its operands among the results of the program
    std::uint64_t* counts = nullptr;
    std::uint64_t* sums = nullptr;

    std::int64_t sum_words() const { return 1LL * shape.weights * shape.cells() * words; }
    Histogram of_executor(int executor) const {
        return {shape, first, counts + 1LL * executor * copies * shape.cells(),
                sums + executor * sum_words()};
    }

    // On threads: adds the points of rows. of(o)[i] is the value of operand o at point i, of `rows` rows of
    // which `there` exist.
    template <class Device, int most, class Of>
    void add_rows(int points, int rows, int there, const Of& of) const {
        std::array<std::int32_t, static_cast<std::size_t>(most)> cells;
        std::int32_t* const to = cells.data();
        const Real* const a = of(0);
        const int first_bins = shape.bins[0];
        Device::run(1LL * points * rows,
                    [=](std::int64_t i) { to[i] = HistogramShape::place(a[i], first_bins); });
        if (shape.axes == 2) {
            const Real* const b = of(1);
            const int bins = shape.bins[1], all = shape.of_axis(1);
            Device::run(1LL * points * rows,
                        [=](std::int64_t i) { to[i] = to[i] * all + HistogramShape::place(b[i], bins); });
        }
        const auto each = [&](const auto& f) {
            if (there == rows)
                for (int i = 0; i < points * rows; ++i) f(i);
            else
                for (int i = 0; i < points; ++i)
                    for (int r = 0; r < there; ++r) f(i * rows + r);
        };
        if (there == rows && points * rows % copies == 0)
            for (int i = 0; i < points * rows; i += copies)
                for (int n = 0; n < copies; ++n) ++counts[1LL * to[i + n] * copies + n];
        else
            each([&](int i) { ++counts[1LL * to[i] * copies + i % copies]; });
        for (int w = 0; w < shape.weights; ++w) {
            const Real* const weight = of(shape.axes + w);
            each([&](int i) {
                ExactSum::add_to(words_of(w, to[i]), static_cast<double>(weight[i]),
                                 [](std::uint64_t* word, std::uint64_t value) { *word += value; });
            });
        }
    }
    WHORL_INLINE std::int64_t first_word(int weight, int cell) const {
        return (1LL * weight * shape.cells() + cell) * words;
    }
    WHORL_INLINE std::uint64_t* words_of(int weight, int cell) const {
        return sums + first_word(weight, cell);
    }
};

// On a GPU: adds the points of a batch, [operand][point]. Blocks count in their own memory first, if the
// cells fit there.
template <class Real> struct HistogramBlocks {
    static constexpr int taken = 1 << 14; // points of a block

    Histogram<Real> histogram;
    const Real* values;
    std::int64_t points;
    bool in_block;

    std::int64_t blocks() const { return (points + taken - 1) / taken; }
    static std::int64_t bytes(const HistogramShape& shape) {
        return static_cast<std::int64_t>(shape.cells() * sizeof(std::uint32_t));
    }
    template <class Team> WHORL_DEVICE void operator()(std::int64_t block, const Team& team) const {
        std::uint32_t* const own = team.template memory<std::uint32_t>();
        const HistogramShape& shape = histogram.shape;
        const std::int64_t first = block * taken;
        const int count = static_cast<int>(points - first < taken ? points - first : taken);
        const Real* const a = values + first;
        const Real* const b = a + (shape.axes - 1) * points;
        if (in_block) team.each(shape.cells(), [&](int c) { own[c] = 0; });
        team.each(count, [&](int i) {
            const int cell = shape.cell(a[i], b[i]);
            if (in_block)
                team.add(own + cell, std::uint32_t{1});
            else
                team.add(histogram.counts + cell, std::uint64_t{1});
            for (int w = 0; w < shape.weights; ++w)
                ExactSum::add_to(histogram.words_of(w, cell),
                                 static_cast<double>(a[(shape.axes + w) * points + i]),
                                 [&](std::uint64_t* word, std::uint64_t value) { team.add(word, value); });
        });
        if (in_block)
            team.each(shape.cells(), [&](int c) {
                if (own[c] > 0) team.add(histogram.counts + c, std::uint64_t{own[c]});
            });
    }
};

} // namespace whorl::programs

#include "device/row_plan.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/unrolled.hpp"

namespace whorl::device {

namespace {

// Exchanges the lanes of a that have bit h set with the lanes of b that have it clear.
template <int h, class V, int... c>
WHORL_INLINE void exchange_lanes(V& a, V& b, std::integer_sequence<int, c...>) {
    constexpr int lanes = sizeof...(c);
    const V low = __builtin_shufflevector(a, b, ((c & h) ? lanes + c - h : c)...);
    const V high = __builtin_shufflevector(a, b, ((c & h) ? lanes + c : c + h)...);
    a = low;
    b = high;
}

// rows[i][j] <-> rows[j][i]
template <int lanes, int h, class V> WHORL_INLINE void transpose(V* rows) {
    if constexpr (h < lanes) {
        unrolled<lanes>([&](auto i) WHORL_INSIDE {
            if constexpr (!(i & h))
                exchange_lanes<h>(rows[i], rows[i + h], std::make_integer_sequence<int, lanes>{});
        });
        transpose<lanes, 2 * h>(rows);
    }
}

// The rows of a variable of a block, the last one in place of missing ones. The first `lanes` rows are real
// parts of the lines' points, the others imaginary parts.
template <class Real> struct RowsOfBlock {
    static constexpr int rows = RowPlan<Real>::rows;
    Complex<Real>* row[rows];

    RowsOfBlock(const RowShare<Real>& share, int v, int first_row, int count) {
        for (int j = 0; j < rows; ++j)
            row[j] = share.data + v * share.variable_stride +
                     (first_row + std::min(j, count - 1)) * share.row_stride;
    }
};

// Modes k, ..., k + lanes / 2 - 1 of `lanes` rows, of which `live` may be read, all of them when `whole`:
// values[2 c] is Re of mode k + c, values[2 c + 1] Im. Here and below, the case that is not whole is compiled
// separately: its loops keep `values` in memory.
template <bool whole, class Real, class V>
WHORL_INLINE void read_modes(Complex<Real>* const* row, int k, int live, V* values) {
    constexpr int lanes = RowPlan<Real>::lanes;
    if constexpr (whole)
        unrolled<lanes>([&](auto l) WHORL_INSIDE { std::memcpy(&values[l], row[l] + k, sizeof(V)); });
    else
        for (int l = 0; l < lanes; ++l) {
            values[l] = V{};
            std::memcpy(&values[l], row[l] + k,
                        static_cast<std::size_t>(std::min(live, lanes / 2)) * sizeof(Complex<Real>));
        }
    transpose<lanes, 1>(values);
}

// The reverse, to the first `rows` rows.
template <bool whole, class Real, class V>
WHORL_INLINE void write_modes(Complex<Real>* const* row, int rows, int k, int live, V* values) {
    constexpr int lanes = RowPlan<Real>::lanes;
    transpose<lanes, 1>(values);
    if constexpr (whole)
        unrolled<lanes>([&](auto l) WHORL_INSIDE { std::memcpy(row[l] + k, &values[l], sizeof(V)); });
    else
        for (int l = 0; l < rows; ++l)
            std::memcpy(row[l] + k, &values[l],
                        static_cast<std::size_t>(std::min(live, lanes / 2)) * sizeof(Complex<Real>));
}

// Calls f(whole, k, mode_of) for every `step` modes of a share from the k-th on; mode_of(i) is its i-th mode,
// without arithmetic where it has all modes. The constant `whole` is true where all `step` modes of all rows
// exist.
template <int step, class Real, class F>
WHORL_INLINE void each_block(const RowShare<Real>& share, bool all_rows, const F& f) {
    const auto blocks = [&](const auto& mode_of) WHORL_INSIDE {
        int k = 0;
        if (all_rows)
            for (; k + step <= share.width(); k += step) f(std::true_type{}, k, mode_of);
        for (; k < share.width(); k += step) f(std::false_type{}, k, mode_of);
    };
    if (share.modes.parts == 1)
        blocks([](int i) { return i; });
    else
        blocks([modes = share.modes](int i) { return modes.at(i); });
}

// Rows of which the dropped ones are read as zero, and not written.
template <class V> struct KeptRows {
    using Value = V;
    V* data;
    Dropped dropped;
    WHORL_INLINE V get(int row) const { return dropped.has(row) ? V{} : data[row]; }
    WHORL_INLINE void set(int row, const V& value) const {
        if (!dropped.has(row)) data[row] = value;
    }
};

// Negates the points that a sine line takes with the other sign: the second half of v (fold.hpp), which is
// the second half of the points of every butterfly of a last step.
template <int radix, class Value> WHORL_INLINE void negate_second_half(Value* points) {
    for (int u = radix / 2; u < radix; ++u) points[u] = {-points[u].re, -points[u].im};
}

// The last inverse step of a group of points, whose line has had all others.
template <int radix, class Value>
WHORL_INLINE void last_inverse(const Value* from, bool negated, Value* points) {
    Value a[radix];
    for (int t = 0; t < radix; ++t) a[t] = from[t];
    Butterfly<radix, std::remove_cvref_t<decltype(a[0].re[0])>>::run(a);
    for (int u = 0; u < radix; ++u) points[u] = {a[u].im, a[u].re};
    if (negated) negate_second_half<radix>(points);
}

// Calls f(c) for c < count; for all c < most when `whole`.
template <int most, bool whole, class F> WHORL_INLINE void up_to(int count, const F& f) {
    if constexpr (whole)
        unrolled<most>(f);
    else
        for (int c = 0; c < std::min(count, most); ++c) f(c);
}

} // namespace

template <class Real>
RowPlan<Real>::RowPlan(int n, int kept, bool walls)
    : inverse_(n, Order::rising), forward_(n, Order::falling),
      dropped_(LineShape{n, 1, 1, 1, kept, walls ? Basis::cosine : Basis::fourier}.dropped()),
      positions_(inverse_.positions()), walls_(walls), fold_(walls ? n : 0) {}

template <class Real> std::int64_t RowPlan<Real>::workspace(int inputs, int outputs) const {
    const std::int64_t points = static_cast<std::int64_t>(point_values) * std::max(inputs, outputs);
    return ((std::max(inputs, outputs) + 1) * line_values() + points) * rows / 2;
}

// The inverse transform is the forward one with real and imaginary parts swapped before and after: here
// before.
template <class Real>
template <bool walled>
void RowPlan<Real>::merge(const Block& block, int v, Value* line) const {
    const int n = inverse_.points();
    for (int i = 0; i < block.number; ++i) {
        const RowShare<Real>& share = block.shares[i];
        const RowsOfBlock<Real> of(share, v, block.first_row, block.count);
        each_block<lanes / 2>(share, true, [&](auto whole, int k, const auto& mode_of) WHORL_INSIDE {
            Vector a[lanes], b[lanes];
            read_modes<whole>(of.row, k, share.room - k, a);
            read_modes<whole>(of.row + lanes, k, share.room - k, b);
            up_to<lanes / 2, whole>(share.width() - k, [&](auto c) WHORL_INSIDE {
                const Value of_a{a[2 * c], a[2 * c + 1]}, of_b{b[2 * c], b[2 * c + 1]};
                const auto [low, high] = walled ? transposed(of_a, of_b) : merged(of_a, of_b);
                const int mode = mode_of(k + c);
                line[walled ? 2 * mode : mode] = {low.im, low.re};
                line[walled ? 2 * mode + 1 : n - mode] = {high.im, high.re};
            });
            if (!walled && k == 0 && mode_of(0) == 0) line[0] = {b[0], a[0]};
        });
    }
}

template <class Real>
template <bool walled>
void RowPlan<Real>::separate(const Block& block, int v, Real scale, Value* line) const {
    const int n = inverse_.points();
    const Real factor = walled ? scale : scale / 2;
    if (!walled) line[n] = line[0];
    for (int i = 0; i < block.number; ++i) {
        const RowShare<Real>& share = block.shares[i];
        const RowsOfBlock<Real> of(share, v, block.first_row, block.count);
        each_block<lanes / 2>(
            share, block.count == rows, [&](auto whole, int k, const auto& mode_of) WHORL_INSIDE {
                Vector a[lanes], b[lanes];
                up_to<lanes / 2, whole>(share.width() - k, [&](auto c) WHORL_INSIDE {
                    const int mode = mode_of(k + c);
                    const Value &p = line[walled ? 2 * mode : mode],
                                &q = line[walled ? 2 * mode + 1 : n - mode];
                    const auto [of_a, of_b] = walled ? transposed(p, q) : separated(p, q);
                    a[2 * c] = factor * of_a.re;
                    a[2 * c + 1] = factor * of_a.im;
                    b[2 * c] = factor * of_b.re;
                    b[2 * c + 1] = factor * of_b.im;
                });
                if constexpr (!whole)
                    for (int c = 2 * (share.width() - k); c < lanes; ++c) a[c] = b[c] = Vector{};
                write_modes<whole>(of.row, std::min(block.count, lanes), k, share.room - k, a);
                write_modes<whole>(of.row + lanes, std::clamp(block.count - lanes, 0, lanes), k,
                                   share.room - k, b);
            });
    }
}

// Merges rows into a line and runs all inverse steps but the last.
template <class Real>
void RowPlan<Real>::begin(const Block& block, int v, bool sine, Value* line, Value* ordered) const {
    if (walls_) {
        merge<true>(block, v, ordered);
        const ScratchRows<Value> from{ordered}, to{line};
        fold_.begin(from, to, dropped_, sine ? Basis::sine : Basis::cosine);
        inverse_.first(to, to);
    } else {
        merge<false>(block, v, line);
        inverse_.first(KeptRows<Value>{line, dropped_}, ScratchRows<Value>{line});
    }
    inverse_.middle(ScratchRows<Value>{line});
}

// The reverse: runs all forward steps but the first, and separates the line into rows.
template <class Real>
void RowPlan<Real>::end(const Block& block, int v, bool sine, Real scale, Value* line, Value* ordered) const {
    const TableRows<Value> rows_of_line{line, positions_.data()};
    forward_.middle(rows_of_line);
    if (walls_) {
        forward_.last(rows_of_line, ScratchRows<Value>{ordered});
        const ScratchRows<Value> both{ordered};
        fold_.finish(both, both, dropped_, sine ? Basis::sine : Basis::cosine);
        separate<true>(block, v, scale, ordered);
    } else {
        forward_.last(rows_of_line, KeptRows<Value>{ordered, dropped_});
        separate<false>(block, v, scale, ordered);
    }
}

template <class Real>
void RowPlan<Real>::run(const Block& block, const Sides& sides, Real scale, Value* workspace,
                        const Work& work) const {
    const int inputs = sides.inputs, outputs = sides.outputs;
    const auto line = [&](int v) { return workspace + v * line_values(); };
    Value* const ordered = line(std::max(inputs, outputs));
    Value* const points = ordered + line_values();
    for (int v = 0; v < inputs; ++v) begin(block, v, sides.sine_in(v), line(v), ordered);
    with_radix(inverse_.last_radix(), [&](auto radix) {
        constexpr int together = point_values / radix;
        const int groups = inverse_.points() / radix;
        for (int first = 0; first < groups; first += together) {
            const int count = std::min(together, groups - first);
            // Point 0 of group g of variable v.
            const auto of_group = [&](int v, int g) { return points + (v * count + g) * radix; };
            for (int v = 0; v < inputs; ++v)
                for (int g = 0; g < count; ++g)
                    last_inverse<radix>(line(v) + (first + g) * radix, walls_ && sides.sine_in(v),
                                        of_group(v, g));
            work.call(work.of, {reinterpret_cast<Real*>(points), 1LL * count * radix * rows, rows,
                                block.count, inverse_.results() + first, radix, groups, count * radix,
                                walls_ ? inverse_.points() : 0});
            for (int v = 0; v < outputs; ++v)
                for (int g = 0; g < count; ++g) {
                    if (walls_ && sides.sine_out(v)) negate_second_half<radix>(of_group(v, g));
                    forward_.template first_of<radix>(inverse_.result(first + g), of_group(v, g),
                                                      line(v) + (first + g) * radix);
                }
        }
    });
    for (int v = 0; v < outputs; ++v) end(block, v, sides.sine_out(v), scale, line(v), ordered);
}

template class RowPlan<float>;
template class RowPlan<double>;

} // namespace whorl::device

#include "device/row_lines.hpp"

#include <algorithm>
#include <utility>

#include "base/unrolled.hpp"

namespace whorl::device {

namespace {

// Blocks of h lanes of a with the bit h set <-> of b with it clear.
template <int h, class V, int... c>
WHORL_INLINE void exchange_blocks(V& a, V& b, std::integer_sequence<int, c...>) {
    constexpr int lanes = sizeof...(c);
    const V low = __builtin_shufflevector(a, b, ((c & h) ? lanes + c - h : c)...);
    const V high = __builtin_shufflevector(a, b, ((c & h) ? lanes + c : c + h)...);
    a = low;
    b = high;
}

// rows[i][j] <-> rows[j][i]
template <int lanes, int h, class V> WHORL_INLINE void transpose(V* rows) {
    if constexpr (h < lanes) {
        unrolled<lanes>([&](auto i) {
            if constexpr (!(i & h))
                exchange_blocks<h>(rows[i], rows[i + h], std::make_integer_sequence<int, lanes>{});
        });
        transpose<lanes, 2 * h>(rows);
    }
}

// The rows of a variable of a block, as far as they are there: the first `lanes` travel in real parts, the
// others in imaginary parts.
template <class Real> struct RowsOfBlock {
    static constexpr int rows = RowLines<Real>::rows;
    Complex<Real>* row[rows];

    RowsOfBlock(const HalfRows<Real>& piece, int v, int first_row, int count) {
        for (int j = 0; j < rows; ++j)
            row[j] = piece.data + v * piece.variable_stride +
                     (first_row + std::min(j, count - 1)) * piece.row_stride;
    }
};

// Modes k, ..., k + lanes / 2 - 1 of `lanes` rows, of which `live` may be read: values[2 c] is Re of mode k +
// c, values[2 c + 1] Im.
template <class Real, class V>
WHORL_INLINE void read_modes(Complex<Real>* const* row, int k, int live, V* values) {
    constexpr int lanes = RowLines<Real>::lanes;
    if (live >= lanes / 2)
        unrolled<lanes>([&](auto l) { std::memcpy(&values[l], row[l] + k, sizeof(V)); });
    else
        for (int l = 0; l < lanes; ++l) {
            values[l] = V{};
            std::memcpy(&values[l], row[l] + k, static_cast<std::size_t>(live) * sizeof(Complex<Real>));
        }
    transpose<lanes, 1>(values);
}

// And back, to the first `rows` of them.
template <class Real, class V>
WHORL_INLINE void write_modes(Complex<Real>* const* row, int rows, int k, int live, V* values) {
    constexpr int lanes = RowLines<Real>::lanes;
    transpose<lanes, 1>(values);
    if (live >= lanes / 2 && rows == lanes)
        unrolled<lanes>([&](auto l) { std::memcpy(row[l] + k, &values[l], sizeof(V)); });
    else
        for (int l = 0; l < rows; ++l)
            std::memcpy(row[l] + k, &values[l],
                        static_cast<std::size_t>(std::min(live, lanes / 2)) * sizeof(Complex<Real>));
}

// Rows of which some are zero, or not wanted.
template <class V> struct KeptRows {
    using Value = V;
    V* data;
    Dropped dropped;
    WHORL_INLINE V get(int row) const { return dropped.has(row) ? V{} : data[row]; }
    WHORL_INLINE void set(int row, const V& value) const {
        if (!dropped.has(row)) data[row] = value;
    }
};

// f(c) for c < count, which is `most` but at the end of a row.
template <int most, class F> WHORL_INLINE void up_to(int count, const F& f) {
    if (count >= most)
        unrolled<most>(f);
    else
        for (int c = 0; c < count; ++c) f(c);
}

} // namespace

template <class Real>
RowLines<Real>::RowLines(int n, int kept)
    : inverse_(n, Order::rising), forward_(n, Order::falling),
      dropped_(LineShape{n, 1, 1, 1, kept}.dropped()), slots_(static_cast<std::size_t>(n)) {
    // The points p + m t of a butterfly leave the inverse side by side, and its results u stay where they
    // were.
    const int radix = inverse_.last_radix(), m = n / radix;
    for (int group = 0; group < m; ++group)
        for (int u = 0; u < radix; ++u)
            slots_[static_cast<std::size_t>(inverse_.place(group) + m * u)] = group * radix + u;
}

template <class Real> std::int64_t RowLines<Real>::workspace(int inputs, int outputs) const {
    const std::int64_t points = static_cast<std::int64_t>(largest_radix) * std::max(inputs, outputs);
    return ((std::max(inputs, outputs) + 1) * line_values() + points) * rows / 2;
}

// The inverse transform is the forward one with real and imaginary parts swapped before and after: here
// before.
template <class Real> void RowLines<Real>::merge(const Block& block, int v, Value* line) const {
    const int n = inverse_.points();
    for (int i = 0; i < block.number; ++i) {
        const HalfRows<Real>& piece = block.pieces[i];
        const RowsOfBlock<Real> of(piece, v, block.first_row, block.count);
        for (int k = 0; k < piece.width; k += lanes / 2) {
            Vector a[lanes], b[lanes];
            read_modes(of.row, k, piece.room - k, a);
            read_modes(of.row + lanes, k, piece.room - k, b);
            Value* const low = line + piece.first + k;
            Value* const high = line + n - piece.first - k;
            up_to<lanes / 2>(piece.width - k, [&](auto c) {
                const Vector ar = a[2 * c], ai = a[2 * c + 1], br = b[2 * c], bi = b[2 * c + 1];
                low[c] = {ai + br, ar - bi};
                high[-c] = {br - ai, ar + bi};
            });
            if (piece.first + k == 0) low[0] = {b[0], a[0]};
        }
    }
}

template <class Real>
void RowLines<Real>::separate(const Block& block, int v, Real scale, Value* line) const {
    const int n = inverse_.points();
    const Real half = scale / 2;
    line[n] = line[0];
    for (int i = 0; i < block.number; ++i) {
        const HalfRows<Real>& piece = block.pieces[i];
        const RowsOfBlock<Real> of(piece, v, block.first_row, block.count);
        for (int k = 0; k < piece.width; k += lanes / 2) {
            Vector a[lanes], b[lanes];
            const Value* const low = line + piece.first + k;
            const Value* const high = line + n - piece.first - k;
            up_to<lanes / 2>(piece.width - k, [&](auto c) {
                const Value p = low[c], q = high[-c];
                a[2 * c] = half * (p.re + q.re);
                a[2 * c + 1] = half * (p.im - q.im);
                b[2 * c] = half * (p.im + q.im);
                b[2 * c + 1] = half * (q.re - p.re);
            });
            for (int c = 2 * (piece.width - k); c < lanes; ++c) a[c] = b[c] = Vector{};
            write_modes(of.row, std::min(block.count, lanes), k, piece.room - k, a);
            write_modes(of.row + lanes, std::clamp(block.count - lanes, 0, lanes), k, piece.room - k, b);
        }
    }
}

template <class Real>
void RowLines<Real>::run(const Block& block, int inputs, int outputs, Real scale, Value* workspace,
                         const Work& work) const {
    const auto line = [&](int v) { return workspace + v * line_values(); };
    Value* const ordered = line(std::max(inputs, outputs));
    Value* const points = ordered + line_values();
    for (int v = 0; v < inputs; ++v) {
        merge(block, v, line(v));
        inverse_.first(KeptRows<Value>{line(v), dropped_}, ScratchRows<Value>{line(v)});
        inverse_.middle(ScratchRows<Value>{line(v)});
    }
    with_radix(inverse_.last_radix(), [&](auto radix) {
        const int groups = inverse_.points() / radix;
        for (int group = 0; group < groups; ++group) {
            const int x = inverse_.place(group);
            for (int v = 0; v < inputs; ++v) {
                Value a[radix];
                for (int t = 0; t < radix; ++t) a[t] = line(v)[group * radix + t];
                Butterfly<radix, Real>::run(a);
                for (int u = 0; u < radix; ++u) points[v * radix + u] = {a[u].im, a[u].re};
            }
            work.call(work.of, {reinterpret_cast<Real*>(points), 1LL * radix * rows, rows, block.count, x,
                                groups, radix});
            for (int v = 0; v < outputs; ++v)
                forward_.template first_of<radix>(x, points + v * radix, line(v) + group * radix);
        }
    });
    for (int v = 0; v < outputs; ++v) {
        const TableRows<Value> rows_of_line{line(v), slots_.data()};
        forward_.middle(rows_of_line);
        forward_.last(rows_of_line, KeptRows<Value>{ordered, dropped_});
        separate(block, v, scale, ordered);
    }
}

template class RowLines<float>;
template class RowLines<double>;

} // namespace whorl::device

// The x stage: two real rows travel as one complex line (one in the real part, one in the imaginary part), so
// that half of a complex transform's work is done for each:
//   backward  Z_k = A_k + i B_k,  Z_{n-k} = A_k* + i B_k*         a = Re z, b = Im z
//   forward   A_k = (Z_k + Z_{n-k}*) / 2,  B_k = (Z_k - Z_{n-k}*) / 2i
#pragma once

#include "device/rows.hpp"
#include "roundtrip/kernels.hpp"

namespace whorl::kernels {

// Rows of y held as pieces of kx, one piece a row peer (a single piece where p_row = 1).
template <class Real> using RowPiece = device::HalfRows<Real>;

// Which of a piece's rows are in hand, and which of them travel together: neighbours in y of the same plane,
// so that no bit depends on the planes in hand.
struct RowPairs {
    int first;
    int of_plane, planes;       // rows of y of a plane, and planes
    int y_stride, plane_stride; // rows from one to the next

    WHORL_INLINE int pairs_of_plane() const { return (of_plane + 1) / 2; }
    WHORL_INLINE int count() const { return planes * pairs_of_plane(); }
    // A missing partner is stood in for by the row itself.
    WHORL_INLINE int row(int plane, int pair, int half) const {
        const int y = 2 * pair + half;
        return first + plane * plane_stride + (y < of_plane ? y : y - 1) * y_stride;
    }
};

// `pairs` complex lines a variable: [variable][pair][x], lines `pitch` apart.
template <class Real> struct LineBlock {
    Complex<Real>* data;
    int nx, pitch, pairs;
    RowPairs rows; // the last block may be short, and the last pair of a plane a single row

    WHORL_INLINE int live_pairs() const { return rows.count(); }

    WHORL_INLINE Complex<Real>* line(int v, int pair) const {
        return data + (static_cast<std::int64_t>(v) * pairs + pair) * pitch;
    }
    WHORL_INLINE int first_row(int pair) const { return row(pair, 0); }
    WHORL_INLINE int second_row(int pair) const { return row(pair, 1); }
    WHORL_INLINE int row(int pair, int half) const {
        const int of_plane = rows.pairs_of_plane();
        return rows.row(pair / of_plane, pair % of_plane, half);
    }
};

// Of row r = (variable, pair) of a kernel: the two rows in a piece, and their line.
template <class Real> struct PairOfRows {
    Complex<Real>* a;
    Complex<Real>* b;
    Complex<Real>* line;

    WHORL_INLINE PairOfRows(const RowPiece<Real>& piece, const LineBlock<Real>& block, std::int64_t r) {
        const int v = static_cast<int>(r / block.live_pairs());
        const int pair = static_cast<int>(r % block.live_pairs());
        Complex<Real>* const rows = piece.data + v * piece.variable_stride;
        a = rows + block.first_row(pair) * piece.row_stride;
        b = rows + block.second_row(pair) * piece.row_stride;
        line = block.line(v, pair);
    }
};

// Which grid points rows are: y0 + row / inner of plane z0 + row % inner, or the other way round.
struct RowOrder {
    int y0, z0, inner;
    bool planes_inside;

    WHORL_INLINE Point first_point(int row) const {
        const int outer = row / inner, rest = row % inner;
        return planes_inside ? Point{0, y0 + outer, z0 + rest} : Point{0, y0 + rest, z0 + outer};
    }
    // Those from row `first` on: part of one plane, or all of some.
    WHORL_INLINE RowPairs pairs(int first, int rows) const {
        if (planes_inside) return {first, rows / inner, inner, inner, 1};
        return rows <= inner ? RowPairs{first, rows, 1, 1, inner}
                             : RowPairs{first, inner, rows / inner, 1, inner};
    }
};

// Z_k of A_k and B_k; 2 A_k and 2 B_k of Z_k and Z_{n-k}.
template <class Real> WHORL_INLINE Complex<Real> merged(Complex<Real> a, Complex<Real> b) {
    return a + times_i(b);
}
template <class Real> WHORL_INLINE Complex<Real> first_of(Complex<Real> low, Complex<Real> high) {
    return low + conjugate(high);
}
template <class Real> WHORL_INLINE Complex<Real> second_of(Complex<Real> low, Complex<Real> high) {
    return times_minus_i(low - conjugate(high));
}

// Pieces -> lines, kx of one piece. Row r = (variable, pair).
template <class Real> struct Merge {
    RowPiece<Real> piece;
    LineBlock<Real> block;

    struct RowOf {
        const Complex<Real>* WHORL_RESTRICT a;
        const Complex<Real>* WHORL_RESTRICT b;
        Complex<Real>* WHORL_RESTRICT low;
        Complex<Real>* WHORL_RESTRICT high;
        const Dealt& modes;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const int k = modes.at(static_cast<int>(i));
            low[k] = merged(a[i], b[i]);
            high[-k] = merged(conjugate(a[i]), conjugate(b[i]));
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const PairOfRows<Real> of(piece, block, r);
        return {of.a, of.b, of.line, of.line + block.nx, piece.modes, piece.width()};
    }
};

// The kx = 0 modes of two real rows are real: whatever rounding left in their imaginary parts ends here.
template <class Real> struct MergeMean {
    RowPiece<Real> piece;
    LineBlock<Real> block;

    struct RowOf {
        const Merge<Real> merge;
        int pair;
        int length;
        WHORL_INLINE void operator()(std::int64_t v) const {
            const auto rows = merge.row(v * merge.block.live_pairs() + pair);
            rows.low[0] = {rows.a[0].re, rows.b[0].re};
        }
    };
    int variables;
    WHORL_INLINE RowOf row(std::int64_t r) const { return {{piece, block}, static_cast<int>(r), variables}; }
};

// Zeroes between the kept kx and their mirror images; row r = (variable, pair).
template <class Real> struct MergePadding {
    LineBlock<Real> block;
    int kept_x;

    WHORL_INLINE ZeroRow<Complex<Real>> row(std::int64_t r) const {
        const int v = static_cast<int>(r / block.live_pairs());
        return {block.line(v, static_cast<int>(r % block.live_pairs())) + kept_x, block.nx - 2 * kept_x + 1};
    }
};

// pass.point at every grid point of the block; row r is a pair. Even elements belong to its first row.
template <class Real, class Pass> struct Points {
    Pass pass;
    LineBlock<Real> in, out;
    RowOrder order;

    struct RowOf {
        const Pass& pass;
        const Real* in;
        Real* out;
        std::int64_t in_stride, out_stride;
        Point first, second;
        int length;
        WHORL_INLINE void operator()(std::int64_t j) const {
            Real values[Pass::inputs > 0 ? Pass::inputs : 1];
            Real results[Pass::products > 0 ? Pass::products : 1];
            unrolled<Pass::inputs>([&](auto v) { values[v] = in[v * in_stride + j]; });
            const int x = static_cast<int>(j / 2);
            const Point& point = j % 2 == 0 ? first : second;
            pass.point(Point{x, point.y, point.z}, values, results);
            unrolled<Pass::products>([&](auto v) { out[v * out_stride + j] = results[v]; });
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int pair = static_cast<int>(r);
        return {pass,
                reinterpret_cast<const Real*>(in.line(0, pair)),
                reinterpret_cast<Real*>(out.line(0, pair)),
                2LL * in.pairs * in.pitch,
                2LL * out.pairs * out.pitch,
                order.first_point(in.first_row(pair)),
                order.first_point(in.second_row(pair)),
                2 * in.nx};
    }
};

// What a device that compares for itself wants of the same: the values of one point.
template <class Real, class Pass> struct Measured {
    using Value = Real;
    static constexpr int maxima = Pass::maxima;
    Pass pass;
    LineBlock<Real> block;

    struct RowOf {
        const Pass& pass;
        const Real* in;
        std::int64_t stride;
        int length;
        WHORL_INLINE void operator()(std::int64_t j, Real* measured) const {
            Real values[Pass::inputs > 0 ? Pass::inputs : 1];
            unrolled<Pass::inputs>([&](auto v) { values[v] = in[v * stride + j]; });
            pass.measure(values, measured);
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        return {pass, reinterpret_cast<const Real*>(block.line(0, static_cast<int>(r))),
                2LL * block.pairs * block.pitch, 2 * block.nx};
    }
};

// Largest values over a block, lane by lane so that it vectorises. A NaN or infinity makes `spoilt` NaN.
template <class Real, class Pass> struct Maxima {
    static constexpr int lanes = 16;
    Real largest[Pass::maxima > 0 ? Pass::maxima : 1][lanes] = {};
    Real spoilt[lanes] = {};

    // `points` values a variable, variables `stride` apart.
    void add(const Pass& pass, const Real* data, std::int64_t stride, std::int64_t points) {
        for (std::int64_t j = 0; j < points; j += lanes) {
            const std::int64_t live = points - j < lanes ? points - j : lanes;
            if (live == lanes)
                for (int l = 0; l < lanes; ++l) add_point(pass, data + j + l, stride, l);
            else
                for (int l = 0; l < static_cast<int>(live); ++l) add_point(pass, data + j + l, stride, l);
        }
    }
    void add_point(const Pass& pass, const Real* data, std::int64_t stride, int lane) {
        Real values[Pass::inputs > 0 ? Pass::inputs : 1];
        Real measured[Pass::maxima > 0 ? Pass::maxima : 1];
        for (int v = 0; v < Pass::inputs; ++v) values[v] = data[v * stride];
        pass.measure(values, measured);
        for (int m = 0; m < Pass::maxima; ++m) {
            largest[m][lane] = measured[m] > largest[m][lane] ? measured[m] : largest[m][lane];
            spoilt[lane] += measured[m] - measured[m];
        }
    }
    double value(int m) const {
        double result = 0.0;
        for (int l = 0; l < lanes; ++l) {
            result = largest[m][l] > result ? largest[m][l] : result;
            if (!(spoilt[l] == Real(0))) return static_cast<double>(spoilt[l]);
        }
        return result;
    }
};

// pass.point at points of rows turned into lanes, in place: a row of the kernel is all of them or, where rows
// are missing, those of one x.
template <class Real, class Pass> struct BlockPoints {
    Pass pass;
    device::RowPoints<Real> block;
    int y, z; // of the first row

    struct RowOf {
        const BlockPoints& of;
        std::int64_t begin, length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const device::RowPoints<Real>& rows = of.block;
            const std::int64_t at = begin + i;
            Real values[Pass::inputs > 0 ? Pass::inputs : 1];
            Real results[Pass::products > 0 ? Pass::products : 1];
            unrolled<Pass::inputs>([&](auto v) { values[v] = rows.data[v * rows.stride + at]; });
            const int x = rows.x(static_cast<int>(at / rows.rows));
            of.pass.point(Point{x, of.y + static_cast<int>(at % rows.rows), of.z}, values, results);
            unrolled<Pass::products>([&](auto v) { rows.data[v * rows.stride + at] = results[v]; });
        }
    };
    WHORL_INLINE bool whole() const { return block.count == block.rows; }
    WHORL_INLINE int kernel_rows() const { return whole() ? 1 : block.points; }
    WHORL_INLINE RowOf row(std::int64_t r) const {
        return {*this, r * block.rows, whole() ? 1LL * block.points * block.rows : block.count};
    }
};

// part.point at points whose variables lie `stride` apart: `head` the pass's inputs, `in` and `out` the
// part's own. Row r is `length` of them, `pitch` from one to the next.
template <class Real, class Part> struct PartPoints {
    Part part;
    const Real* head;
    const Real* in;
    Real* out;
    std::int64_t in_stride, out_stride;
    std::int64_t pitch, length;

    struct RowOf {
        const PartPoints& of;
        std::int64_t begin, length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            Real flow[Part::heads], values[Part::inputs], results[Part::products];
            unrolled<Part::heads>([&](auto v) { flow[v] = of.head[v * of.in_stride + begin + i]; });
            unrolled<Part::inputs>([&](auto v) { values[v] = of.in[v * of.in_stride + begin + i]; });
            of.part.point(flow, values, results);
            unrolled<Part::products>([&](auto v) { of.out[v * of.out_stride + begin + i] = results[v]; });
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const { return {*this, r * pitch, length}; }
};

// Zeroes the products of the rows that are missing; row r = (variable, point).
template <class Real> struct BlockPadding {
    device::RowPoints<Real> block;

    WHORL_INLINE ZeroRow<Real> row(std::int64_t r) const {
        return {block.data + r / block.points * block.stride + r % block.points * block.rows + block.count,
                block.rows - block.count};
    }
};

// Lines -> pieces, scaled by `scale` / 2. The line's element nx repeats element 0 (Mirror).
template <class Real> struct Separate {
    RowPiece<Real> piece;
    LineBlock<Real> block;
    Real half_scale;

    struct RowOf {
        const Complex<Real>* WHORL_RESTRICT low;
        const Complex<Real>* WHORL_RESTRICT high;
        Complex<Real>* WHORL_RESTRICT a;
        Complex<Real>* WHORL_RESTRICT b;
        Real half_scale;
        const Dealt& modes;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const int k = modes.at(static_cast<int>(i));
            const Complex<Real> p = low[k], q = high[-k];
            b[i] = half_scale * second_of(p, q);
            a[i] = half_scale * first_of(p, q);
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const PairOfRows<Real> of(piece, block, r);
        return {of.line, of.line + block.nx, of.a, of.b, half_scale, piece.modes, piece.width()};
    }
};

// Element nx = element 0 of every line, so that Separate needs no index modulo nx.
template <class Real> struct Mirror {
    LineBlock<Real> block;

    struct RowOf {
        Complex<Real>* line;
        int nx;
        int length;
        WHORL_INLINE void operator()(std::int64_t) const { line[nx] = line[0]; }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const int v = static_cast<int>(r / block.live_pairs());
        return {block.line(v, static_cast<int>(r % block.live_pairs())), block.nx, 1};
    }
};

} // namespace whorl::kernels

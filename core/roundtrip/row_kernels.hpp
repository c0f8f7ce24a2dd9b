// Rows along x, their pairs as complex lines (device/rows.hpp), and the work at their points.
#pragma once

#include "base/unrolled.hpp"
#include "device/rows.hpp"
#include "roundtrip/mode.hpp"
#include "roundtrip/pass.hpp"

namespace whorl::kernels {

// Fills a row with zeroes.
template <class T> struct ZeroRow {
    T* to;
    int length;
    WHORL_INLINE void operator()(std::int64_t i) const { to[i] = T{}; }
};

// The rows of a share that are transformed at a time, in pairs. Pairs are neighbours in y of one plane, so
// that no bit of a result depends on how many planes are taken at a time.
struct RowPairs {
    int first;
    int of_plane, planes;       // rows of y of a plane, and planes
    int y_stride, plane_stride; // rows from one to the next

    WHORL_INLINE int pairs_of_plane() const { return (of_plane + 1) / 2; }
    WHORL_INLINE int count() const { return planes * pairs_of_plane(); }
    // The row itself takes the place of a missing partner.
    WHORL_INLINE int row(int plane, int pair, int half) const {
        const int y = 2 * pair + half;
        return first + plane * plane_stride + (y < of_plane ? y : y - 1) * y_stride;
    }
};

// `pairs` complex lines per variable: [variable][pair][x], lines `pitch` apart.
template <class Real> struct LinesOfPairs {
    Complex<Real>* data;
    int nx, pitch, pairs;
    RowPairs rows; // the last block may be short, and the last pair of a plane a single row

    WHORL_INLINE int live_pairs() const { return rows.count(); }

    WHORL_INLINE Complex<Real>* line(int v, int pair) const {
        return data + (static_cast<std::int64_t>(v) * pairs + pair) * pitch;
    }
    // The line as real numbers, and the distance between its variables in them.
    WHORL_INLINE Real* reals(int v, int pair) const { return reinterpret_cast<Real*>(line(v, pair)); }
    WHORL_INLINE std::int64_t real_stride() const { return 2LL * pairs * pitch; }
    WHORL_INLINE int row(int pair, int half) const {
        const int of_plane = rows.pairs_of_plane();
        return rows.row(pair / of_plane, pair % of_plane, half);
    }
};

// The two rows of a share and their line, for row r = (variable, pair) of a kernel.
template <class Real> struct PairOfRows {
    Complex<Real>* a;
    Complex<Real>* b;
    Complex<Real>* line;

    WHORL_INLINE PairOfRows(const device::RowShare<Real>& share, const LinesOfPairs<Real>& block,
                            std::int64_t r) {
        const int v = static_cast<int>(r / block.live_pairs());
        const int pair = static_cast<int>(r % block.live_pairs());
        Complex<Real>* const rows = share.data + v * share.variable_stride;
        a = rows + block.row(pair, 0) * share.row_stride;
        b = rows + block.row(pair, 1) * share.row_stride;
        line = block.line(v, pair);
    }
};

// The grid points of rows: y = y0 + row / inner and z = z0 + row % inner, or with y and z exchanged.
struct RowOrder {
    int y0, z0, inner;
    bool planes_inside;

    WHORL_INLINE Point first_point(int row) const {
        const int outer = row / inner, rest = row % inner;
        return planes_inside ? Point{0, y0 + outer, z0 + rest} : Point{0, y0 + rest, z0 + outer};
    }
    // The pairs of `rows` rows from `first` on: some rows of one plane, or all rows of some planes.
    WHORL_INLINE RowPairs pairs(int first, int rows) const {
        if (planes_inside) return {first, rows / inner, inner, inner, 1};
        return rows <= inner ? RowPairs{first, rows, 1, 1, inner}
                             : RowPairs{first, inner, rows / inner, 1, inner};
    }
};

// Shares -> lines: merges the elements of one share (device/rows.hpp). Row r = (variable, pair).
template <class Real, bool walled> struct Merge {
    device::RowShare<Real> share;
    LinesOfPairs<Real> block;

    struct RowOf {
        PairOfRows<Real> of;
        int nx;
        const Dealt& modes;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const int k = modes.at(static_cast<int>(i));
            const Complex<Real> a = of.a[i], b = of.b[i];
            if constexpr (walled) {
                const auto [first, second] = device::transposed(a, b);
                of.line[2 * k] = first;
                of.line[2 * k + 1] = second;
            } else {
                const auto [low, high] = device::merged_mode(k, a, b);
                of.line[k] = low;
                if (k > 0) of.line[nx - k] = high;
            }
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        return {{share, block, r}, block.nx, share.modes, share.width()};
    }
};

// Zeroes between the kept kx and their mirror images; row r = (variable, pair).
template <class Real> struct MergePadding {
    LinesOfPairs<Real> block;
    int kept_x;

    WHORL_INLINE ZeroRow<Complex<Real>> row(std::int64_t r) const {
        const int v = static_cast<int>(r / block.live_pairs());
        return {block.line(v, static_cast<int>(r % block.live_pairs())) + kept_x, block.nx - 2 * kept_x + 1};
    }
};

// Lines -> shares, times `factor`, which is half the scale where device::separated gives twice the rows. The
// first row is written last, since it takes the place of a missing second one.
template <class Real, bool walled> struct Separate {
    device::RowShare<Real> share;
    LinesOfPairs<Real> block;
    Real factor;

    struct RowOf {
        PairOfRows<Real> of;
        int nx;
        Real factor;
        const Dealt& modes;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const int k = modes.at(static_cast<int>(i));
            const auto [a, b] = walled ? device::transposed(of.line[2 * k], of.line[2 * k + 1])
                                       : device::separated(of.line[k], of.line[k == 0 ? 0 : nx - k]);
            of.b[i] = factor * b;
            of.a[i] = factor * a;
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        return {{share, block, r}, block.nx, factor, share.modes, share.width()};
    }
};

// The points of a row of a kernel: of a pair of rows in turn or, with a block, of its rows side by side.
template <class Real> struct PointPlace {
    Point first, second; // points of the pair; the block's first point
    const device::RowPoints<Real>* block;
    std::int64_t begin; // in the block

    WHORL_INLINE Point operator()(std::int64_t i) const {
        if (block) {
            const std::int64_t at = begin + i;
            return {block->x(static_cast<int>(at / block->rows)),
                    first.y + static_cast<int>(at % block->rows), first.z};
        }
        const Point& row = i % 2 == 0 ? first : second;
        return {static_cast<int>(i / 2), row.y, row.z};
    }
};

// point() of a pass at points whose variables lie `in_stride` and `out_stride` apart.
template <class Real, class Pass> struct PointRow {
    const Pass& pass;
    const Real* in;
    Real* out;
    std::int64_t in_stride, out_stride;
    PointPlace<Real> place;
    std::int64_t length;

    WHORL_INLINE void operator()(std::int64_t i) const {
        Real values[Pass::inputs > 0 ? Pass::inputs : 1];
        Real results[Pass::products > 0 ? Pass::products : 1];
        unrolled<Pass::inputs>([&](auto v) { values[v] = in[v * in_stride + i]; });
        pass.point(place(i), values, results);
        unrolled<Pass::products>([&](auto v) { out[v * out_stride + i] = results[v]; });
    }
};

// point() at every point of a block of lines. Row r is a pair; its even real numbers are the first row.
template <class Real, class Pass> struct PairPoints {
    Pass pass;
    LinesOfPairs<Real> in, out;
    RowOrder order;

    WHORL_INLINE PointRow<Real, Pass> row(std::int64_t r) const {
        const int pair = static_cast<int>(r);
        return {pass,
                in.reals(0, pair),
                out.reals(0, pair),
                in.real_stride(),
                out.real_stride(),
                {order.first_point(in.row(pair, 0)), order.first_point(in.row(pair, 1)), nullptr, 0},
                2 * in.nx};
    }
};

// work_at() at a point of half 0 or 1 of a pair of rows; values_of(half) are the values there. A row `alone`
// is both halves. Results at its point are those of the first half, whatever the order of threads.
template <class Pass, class ValuesOf>
WHORL_INLINE void work_at_half(const Pass& pass, int half, bool alone, const Point& point,
                               const ValuesOf& values_of) {
    if (alone && half == 1) return;
    if (alone) pass.work_at(values_of(1), point);
    pass.work_at(values_of(half), point);
}

// work_at() of a pass that works on rows, at every point of a block of lines, in place, or its measure_at().
// Row r is a pair.
template <class Real, class Pass> struct PairWork {
    using Value = Real;
    static constexpr int maxima = Pass::maxima;
    Pass pass;
    LinesOfPairs<Real> lines;
    RowOrder order;

    struct Values {
        Real* first;
        std::int64_t stride;
        WHORL_INLINE Real& of(int v) const { return first[v * stride]; }
    };
    struct RowOf {
        const PairWork& of;
        int pair;
        int length;
        WHORL_INLINE Values values(std::int64_t j) const {
            return {of.lines.reals(0, pair) + j, of.lines.real_stride()};
        }
        WHORL_INLINE Point point(std::int64_t j) const {
            const Point row = of.order.first_point(of.lines.row(pair, static_cast<int>(j % 2)));
            return {static_cast<int>(j / 2), row.y, row.z};
        }
        WHORL_INLINE void operator()(std::int64_t j) const {
            const int half = static_cast<int>(j % 2);
            work_at_half(of.pass, half, of.lines.row(pair, 1 - half) == of.lines.row(pair, half), point(j),
                         [&](int h) { return values(j - half + h); });
        }
        WHORL_INLINE void operator()(std::int64_t j, Real* measured) const {
            of.pass.measure_at(values(j), point(j), measured);
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const { return {*this, static_cast<int>(r), 2 * lines.nx}; }
};

// point() at the points of rows turned into lanes, in place. A row of the kernel has all points or, where
// rows are missing, those of one x.
template <class Real, class Pass> struct LanePoints {
    Pass pass;
    device::RowPoints<Real> block;
    Point first; // of the first row

    WHORL_INLINE bool whole() const { return block.count == block.rows; }
    WHORL_INLINE int kernel_rows() const { return whole() ? 1 : block.points; }
    WHORL_INLINE std::int64_t pitch() const { return whole() ? 1LL * block.points * block.rows : block.rows; }
    WHORL_INLINE std::int64_t length() const { return whole() ? pitch() : block.count; }
    WHORL_INLINE PointRow<Real, Pass> row(std::int64_t r) const {
        Real* const data = block.data + r * block.rows;
        return {pass,    data, data, block.stride, block.stride, {first, first, &block, r * block.rows},
                length()};
    }
};

// part.point at points whose variables lie `in_stride` and `out_stride` apart: `head` has the pass's inputs,
// `in` and `out` the part's own. Rows have `length` points and lie `pitch` apart.
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

// pass.measure at points. Rows have `length` points and lie `pitch` apart; variables lie `stride` apart.
template <class Real, class Pass> struct Measured {
    using Value = Real;
    static constexpr int maxima = Pass::maxima;
    Pass pass;
    const Real* data;
    std::int64_t stride, pitch, length;

    struct RowOf {
        const Pass& pass;
        const Real* in;
        std::int64_t stride, length;
        WHORL_INLINE void operator()(std::int64_t j, Real* measured) const {
            Real values[Pass::inputs > 0 ? Pass::inputs : 1];
            unrolled<Pass::inputs>([&](auto v) { values[v] = in[v * stride + j]; });
            pass.measure(values, measured);
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const { return {pass, data + r * pitch, stride, length}; }
};

// Fills the products of missing rows with zeroes; row r = (variable, point).
template <class Real> struct LanePadding {
    device::RowPoints<Real> block;

    WHORL_INLINE ZeroRow<Real> row(std::int64_t r) const {
        return {block.data + r / block.points * block.stride + r % block.points * block.rows + block.count,
                block.rows - block.count};
    }
};

} // namespace whorl::kernels

// The x stage in the memory of blocks of threads (device/block_lines.hpp): pairs of rows are merged as they
// are read (formulas: line_kernels.hpp), transformed, worked on at their points, transformed back and
// separated as they are written, so that nothing but the rows themselves crosses the device's memory.
#pragma once

#include "device/block_lines.hpp"
#include "roundtrip/line_kernels.hpp"
#include "roundtrip/pass.hpp"
#include "roundtrip/workspace.hpp"

namespace whorl::kernels {

// The variables of a point in a block's memory.
template <class Of> struct PointValues {
    using Real = Of;
    Real* first;
    int stride;
    WHORL_INLINE Real& of(int v) const { return first[v * stride]; }
};

// The parts of a pass as a program carries them.
template <class Pass> struct PartsOf {
    explicit PartsOf(const Pass&) {}
    template <class Values> WHORL_INLINE void point(const Values&, const Widths&) const {}
};
template <HasParts Pass> struct PartsOf<Pass> {
    using Part = decltype(std::declval<const Pass&>().part(0));
    int count;
    Part first;

    explicit PartsOf(const Pass& pass) : count(pass.parts()), first() {
        if (count > 0) first = pass.part(0);
    }
    // Inputs -> products in place, the last part first.
    template <class Values> WHORL_INLINE void point(const Values& values, const Widths& widths) const {
        for (int s = count - 1; s >= 0; --s) {
            typename Values::Real head[Part::heads], in[Part::inputs], out[Part::products];
            unrolled<Part::heads>([&](auto v) { head[v] = values.of(v); });
            unrolled<Part::inputs>([&](auto v) { in[v] = values.of(Pass::inputs + s * Part::inputs + v); });
            first.point(head, in, out);
            unrolled<Part::products>(
                [&](auto v) { values.of(widths.first_product + s * Part::products + v) = out[v]; });
        }
    }
};

// Rows y0, y0 + 1, ... of the pieces, `pairs` pairs of them a block.
template <class Real, class Pass> struct RowProgram {
    using Value = Real;
    static constexpr int maxima = Pass::maxima;

    Pass pass;
    PartsOf<Pass> parts;
    Widths widths;
    device::LinePlan<Real> plan;
    device::LinesBehind lines;
    RowPiece<Real> pieces[Workspace::most_pieces];
    int piece_count, kept_x;
    int y0, rows, pairs;
    RowOrder order;
    Real half_scale;
    bool measures;

    // The pairs of a block; line of variable v: v * count + pair.
    struct Pairs {
        int first, count;
    };
    template <class Team> WHORL_DEVICE void operator()(std::int64_t block, const Team& team) const {
        using device::Direction;
        const int first = static_cast<int>(block) * pairs, left = (rows + 1) / 2 - first;
        const Pairs own{first, left < pairs ? left : pairs};
        if constexpr (Pass::inputs > 0) {
            merge(team, own);
            device::run_passes<Direction::backward>(team, plan, lines, widths.inputs * own.count);
        }
        if constexpr (Pass::maxima > 0)
            if (measures) measure(team, own);
        work(team, own);
        if constexpr (Pass::products > 0) {
            device::run_passes<Direction::forward>(team, plan, lines, widths.products * own.count);
            separate(team, own);
        }
    }

  private:
    // A missing partner is stood in for by the row itself.
    WHORL_INLINE int row_of(const Pairs& own, int pair, int half) const {
        const int row = 2 * (own.first + pair) + half;
        return y0 + (row < rows ? row : row - 1);
    }
    // Mode i of the rows of line q of a piece.
    WHORL_INLINE Complex<Real>& mode(const RowPiece<Real>& piece, const Pairs& own, int q, int half,
                                     int i) const {
        return piece.data[q / own.count * piece.variable_stride +
                          row_of(own, q % own.count, half) * piece.row_stride + i];
    }

    template <class Team> WHORL_DEVICE void merge(const Team& team, const Pairs& own) const {
        Complex<Real>* const data = team.template memory<Complex<Real>>();
        const int all = widths.inputs * own.count, n = plan.n;
        for (int r = 0; r < piece_count; ++r) {
            const RowPiece<Real>& piece = pieces[r];
            const int width = piece.width();
            team.each(all * width, [&](int item) {
                const int q = item / width, i = item % width, k = piece.modes.at(i);
                const Complex<Real> a = mode(piece, own, q, 0, i), b = mode(piece, own, q, 1, i);
                // The mean of a real row is real, whatever rounding left.
                data[lines.place(k, q)] =
                    k == 0 ? Complex<Real>{a.re, b.re} : Complex<Real>{a.re - b.im, a.im + b.re};
                if (k > 0) data[lines.place(n - k, q)] = {a.re + b.im, b.re - a.im};
            });
        }
        const int dropped = n - 2 * kept_x + 1;
        team.each(all * dropped,
                  [&](int item) { data[lines.place(kept_x + item % dropped, item / dropped)] = {0, 0}; });
    }

    template <class Team>
    WHORL_DEVICE PointValues<Real> values_at(const Team& team, const Pairs& own, int pair, int slot,
                                             int half) const {
        Real* const data = team.template memory<Real>();
        return {data + 2 * lines.place(slot, pair) + half, 2 * lines.pitch * own.count};
    }
    template <class Team> WHORL_DEVICE void measure(const Team& team, const Pairs& own) const {
        team.template raise<RowProgram>(2 * own.count * plan.n, [&](int item, Real* measured) {
            const int slot = item / 2 % plan.n, pair = item / 2 / plan.n;
            const auto values = values_at(team, own, pair, slot, item % 2);
            Real in[Pass::inputs > 0 ? Pass::inputs : 1];
            unrolled<Pass::inputs>([&](auto v) { in[v] = values.of(v); });
            pass.measure(in, measured);
        });
    }
    template <class Team> WHORL_DEVICE void work(const Team& team, const Pairs& own) const {
        team.each(2 * own.count * plan.n, [&](int item) {
            const int half = item % 2, slot = item / 2 % plan.n, pair = item / 2 / plan.n;
            const auto values = values_at(team, own, pair, slot, half);
            parts.point(values, widths);
            const Point row = order.first_point(row_of(own, pair, half));
            Real in[Pass::inputs > 0 ? Pass::inputs : 1], out[Pass::products > 0 ? Pass::products : 1];
            unrolled<Pass::inputs>([&](auto v) { in[v] = values.of(v); });
            pass.point(Point{plan.places[slot], row.y, row.z}, in, out);
            unrolled<Pass::products>([&](auto v) { values.of(v) = out[v]; });
        });
    }

    template <class Team> WHORL_DEVICE void separate(const Team& team, const Pairs& own) const {
        Complex<Real>* const data = team.template memory<Complex<Real>>();
        for (int r = 0; r < piece_count; ++r) {
            const RowPiece<Real>& piece = pieces[r];
            const int width = piece.width();
            team.each(widths.products * own.count * width, [&](int item) {
                const int q = item / width, i = item % width, k = piece.modes.at(i);
                const Complex<Real> low = data[lines.place(k, q)];
                const Complex<Real> high = data[lines.place(k == 0 ? 0 : plan.n - k, q)];
                // The first row last: it may stand in for the second.
                mode(piece, own, q, 1, i) = {half_scale * (low.im + high.im),
                                             half_scale * (high.re - low.re)};
                mode(piece, own, q, 0, i) = {half_scale * (low.re + high.re),
                                             half_scale * (low.im - high.im)};
            });
        }
    }
};

} // namespace whorl::kernels

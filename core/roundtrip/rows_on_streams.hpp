// The stage of rows on a GPU (stages.hpp): in the memory of blocks of threads (RowProgram), or as pairs of
// rows if they do not fit or another kind of lines is chosen.
#pragma once

#include <algorithm>

#include "device/block_plan.hpp"
#include "roundtrip/row_kernels.hpp"
#include "roundtrip/row_pairs.hpp"
#include "roundtrip/workspace.hpp"

namespace whorl::kernels {

// The stage of rows in the memory of blocks of threads (device/block_plan.hpp). Pairs of rows are merged as
// they are read (device/rows.hpp), transformed, evaluated at their points and transformed back. They are
// separated as they are written, so that only the rows themselves cross the device's memory.

// The variables of a point in a block's memory.
template <class Of> struct PointValues {
    using Real = Of;
    Real* first;
    int stride;
    WHORL_INLINE Real& of(int v) const { return first[v * stride]; }
};

// The parts of a pass in a program.
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

// A block takes up to `pairs` pairs of rows of one plane, from all shares.
template <class Real, class Pass> struct RowProgram {
    using Value = Real;
    static constexpr int maxima = Pass::maxima;

    Pass pass;
    PartsOf<Pass> parts;
    Widths widths;
    device::BlockPlan<Real> plan;
    device::LinesBehind lines;
    device::RowShare<Real> shares[Workspace::most_shares];
    Divisor share_widths[Workspace::most_shares];
    int share_count, kept_x;
    Divisor dropped, points; // of a line: elements that are not kept, points
    RowPairs rows;
    Divisor pairs;
    RowOrder order;
    Real half_scale;
    bool measures;

    // Group = plane, lane = pair; line of variable v: v * pairs + pair.
    using LaneRange = device::LaneRange;
    std::int64_t blocks() const {
        return std::int64_t{rows.planes} * LaneRange::blocks_of_group(rows.pairs_of_plane(), pairs.number());
    }
    template <class Team> WHORL_DEVICE void operator()(std::int64_t block, const Team& team) const {
        using device::Direction;
        const int all = pairs.number();
        const LaneRange own = LaneRange::of(block, rows.pairs_of_plane(), all);
        if constexpr (Pass::inputs > 0) {
            merge(team, own);
            device::run_steps<Direction::backward>(team, plan, lines, widths.inputs * all);
        }
        if constexpr (Pass::maxima > 0)
            if (measures) measure(team, own);
        work(team, own);
        if constexpr (Pass::products > 0) {
            device::run_steps<Direction::forward>(team, plan, lines, widths.products * all);
            separate(team, own);
        }
    }

  private:
    WHORL_INLINE int row_of(const LaneRange& own, int pair, int half) const {
        return rows.row(own.group, own.first + pair, half);
    }
    // The two rows of line q in a share; those of the first pair where the line has no rows.
    using Rows = device::TwoOf<Complex<Real>*>;
    WHORL_INLINE bool has_rows(const LaneRange& own, int q) const {
        return pairs.divide(q).remainder < own.count;
    }
    WHORL_INLINE Rows rows_of(const device::RowShare<Real>& share, const LaneRange& own, int q) const {
        const auto [v, beside] = pairs.divide(q);
        const int pair = beside < own.count ? beside : 0;
        Complex<Real>* const data = share.data + v * share.variable_stride;
        return {data + row_of(own, pair, 0) * share.row_stride,
                data + row_of(own, pair, 1) * share.row_stride};
    }

    template <class Team> WHORL_DEVICE void merge(const Team& team, const LaneRange& own) const {
        Complex<Real>* const data = team.template memory<Complex<Real>>();
        const int all = widths.inputs * pairs.number(), n = plan.n;
        for (int r = 0; r < share_count; ++r) {
            const device::RowShare<Real>& share = shares[r];
            const Divisor& width = share_widths[r];
            using Modes = device::TwoOf<Complex<Real>>;
            team.template gather<device::items_together<2>>(
                all * width.number(),
                [&](int item) {
                    const auto [q, i] = width.divide(item);
                    const Rows from = rows_of(share, own, q);
                    return Modes{from.first[i], from.second[i]};
                },
                [&](int item, const Modes& mode) {
                    const auto [q, i] = width.divide(item);
                    const int k = share.modes.at(i);
                    const auto [low, high] = device::merged_mode(k, mode.first, mode.second);
                    data[lines.offset(k, q)] = low;
                    if (k > 0) data[lines.offset(n - k, q)] = high;
                });
        }
        team.each(all * dropped.number(), [&](int item) {
            const auto [q, i] = dropped.divide(item);
            data[lines.offset(kept_x + i, q)] = {0, 0};
        });
    }

    template <class Team>
    WHORL_DEVICE PointValues<Real> values_at(const Team& team, int pair, int position, int half) const {
        Real* const data = team.template memory<Real>();
        return {data + 2 * lines.offset(position, pair) + half, 2 * lines.pitch * pairs.number()};
    }
    WHORL_INLINE Point point_at(const LaneRange& own, int pair, int position, int half) const {
        const Point row = order.first_point(row_of(own, pair, half));
        return {plan.points[position], row.y, row.z};
    }
    template <class Team> WHORL_DEVICE void measure(const Team& team, const LaneRange& own) const {
        team.template raise<RowProgram>(2 * own.count * plan.n, [&](int item, Real* measured) {
            const int half = item & 1;
            const auto [pair, position] = points.divide(item >> 1);
            const auto values = values_at(team, pair, position, half);
            if constexpr (CountsAtRunTime<Pass>) {
                pass.measure_at(values, point_at(own, pair, position, half), measured);
            } else {
                Real in[Pass::inputs > 0 ? Pass::inputs : 1];
                unrolled<Pass::inputs>([&](auto v) { in[v] = values.of(v); });
                pass.measure(in, measured);
            }
        });
    }
    template <class Team> WHORL_DEVICE void work(const Team& team, const LaneRange& own) const {
        team.each(2 * own.count * plan.n, [&](int item) {
            const int half = item & 1;
            const auto [pair, position] = points.divide(item >> 1);
            const Point point = point_at(own, pair, position, half);
            if constexpr (WorksOnRows<Pass>) {
                work_at_half(pass, half, row_of(own, pair, 1 - half) == row_of(own, pair, half), point,
                             [&, pair = pair, position = position](int h) {
                                 return values_at(team, pair, position, h);
                             });
            } else {
                const auto values = values_at(team, pair, position, half);
                parts.point(values, widths);
                Real in[Pass::inputs > 0 ? Pass::inputs : 1], out[Pass::products > 0 ? Pass::products : 1];
                unrolled<Pass::inputs>([&](auto v) { in[v] = values.of(v); });
                pass.point(point, in, out);
                unrolled<Pass::products>([&](auto v) { values.of(v) = out[v]; });
            }
        });
    }

    template <class Team> WHORL_DEVICE void separate(const Team& team, const LaneRange& own) const {
        Complex<Real>* const data = team.template memory<Complex<Real>>();
        for (int r = 0; r < share_count; ++r) {
            const device::RowShare<Real>& share = shares[r];
            const Divisor& width = share_widths[r];
            team.each(widths.products * pairs.number() * width.number(), [&](int item) {
                const auto [q, i] = width.divide(item);
                const int k = share.modes.at(i);
                if (!has_rows(own, q)) return;
                const Rows rows_out = rows_of(share, own, q);
                const Complex<Real> low = data[lines.offset(k, q)];
                const Complex<Real> high = data[lines.offset(k == 0 ? 0 : plan.n - k, q)];
                // The first row is written last, since it takes the place of a missing second one.
                const auto [a, b] = device::separated(low, high);
                rows_out.second[i] = half_scale * b;
                rows_out.first[i] = half_scale * a;
            });
        }
    }
};

} // namespace whorl::kernels

namespace whorl {

template <class Device, class Real> class RowsOnStreams : public RowPairLines<Device, Real> {
  public:
    using RowPairLines<Device, Real>::RowPairLines;

    void make_plans(const LineChoice& choice, const std::set<int>& planes) {
        if (executors_.workspace.block_pairs > 0)
            row_tables_ = std::make_unique<device::BlockTables<typename Device::Memory, Real>>(layout_.nx);
        else
            this->make_pair_plans(choice.x, planes);
    }

    static bool shows_points() { return false; }

    template <class Pass, class Meanwhile>
    void through(const Pass& pass, int executor, const RowsInHand<Real>& rows, const Meanwhile&) {
        row_tables_ ? through_blocks(pass, executor, rows) : this->through_pairs(pass, executor, rows);
    }

  private:
    using Base = RowPairLines<Device, Real>;
    using Base::device_, Base::executors_, Base::layout_, Base::scale_;

    template <class Pass> void through_blocks(const Pass& pass, int executor, const RowsInHand<Real>& rows);

    std::unique_ptr<device::BlockTables<typename Device::Memory, Real>> row_tables_; // null: pairs of rows
};

template <class Device, class Real>
template <class Pass>
void RowsOnStreams<Device, Real>::through_blocks(const Pass& pass, int executor,
                                                 const RowsInHand<Real>& rows) {
    const auto scope = executors_.timed(executor, Task::x_lines);
    kernels::RowProgram<Real, Pass> program{pass,
                                            kernels::PartsOf<Pass>(pass),
                                            widths_of(pass),
                                            row_tables_->plan(),
                                            {device::LinesBehind::pitch_of(layout_.nx)},
                                            {},
                                            {},
                                            layout_.grid.p_row,
                                            layout_.kept_x,
                                            Divisor(layout_.nx - 2 * layout_.kept_x + 1),
                                            Divisor(layout_.nx),
                                            rows.pairs(),
                                            Divisor(executors_.workspace.block_pairs),
                                            rows.order,
                                            scale_ / 2,
                                            Pass::maxima > 0 && pass.wants_maxima()};
    std::copy_n(rows.shares, layout_.grid.p_row, program.shares);
    std::transform(rows.shares, rows.shares + layout_.grid.p_row, program.share_widths,
                   [](const device::RowShare<Real>& share) { return Divisor(share.width()); });
    const int most = std::max(program.widths.inputs, program.widths.products);
    device_.for_blocks(executor, program.blocks(),
                       1LL * executors_.workspace.block_pairs * most * program.lines.pitch *
                           static_cast<std::int64_t>(sizeof(Complex<Real>)),
                       program);
}

} // namespace whorl

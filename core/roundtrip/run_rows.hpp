// What the stage of rows does with a pass; included by run.hpp.
#pragma once

#include "roundtrip/row_stage.hpp"

namespace whorl {

template <class Device, class Real>
template <class Pass, class Meanwhile>
void RowStage<Device, Real>::through(const Pass& pass, int executor, const kernels::RowOrder& order, int y0,
                                     int rows, const kernels::RowPiece<Real>* pieces,
                                     const Meanwhile& meanwhile) {
    if constexpr (Device::streams) {
        if (row_tables_) return through_blocks(pass, executor, order, y0, rows, pieces);
    } else {
        if (row_lines_) return through_lanes(pass, executor, order, y0, rows, pieces, meanwhile);
    }
    through_pairs(pass, executor, order, y0, rows, pieces);
}

template <class Device, class Real>
template <class Pass, class Meanwhile>
void RowStage<Device, Real>::through_lanes(const Pass& pass, int executor, const kernels::RowOrder& order,
                                           int y0, int rows, const kernels::RowPiece<Real>* pieces,
                                           const Meanwhile& meanwhile) {
    Timers& timers = executors_.timers(executor);
    const Widths widths = widths_of(pass);
    const Point first = order.first_point(y0);
    kernels::Maxima<Real, Pass> maxima;
    const bool measures = Pass::maxima > 0 && pass.wants_maxima();
    const auto at_points = [&](const device::RowPoints<Real>& block) {
        meanwhile(1LL * block.points * block.count);
        const Timers::Scope scope(timers, Part::point, Part::x_lines);
        if constexpr (Pass::maxima > 0)
            if (measures) maxima.add(pass, block.data, block.stride, 1LL * block.points * block.rows);
        const kernels::BlockPoints<Real, Pass> kernel{pass, block, first.y, first.z};
        each_part(pass, [&]<class Sub>(const Sub& part, int s) {
            const std::int64_t row = kernel.whole() ? 1LL * block.points * block.rows : block.rows;
            device_.for_each(executor, kernel.kernel_rows(),
                             kernels::PartPoints<Real, Sub>{
                                 part, block.data,
                                 block.data + (Pass::inputs + s * part.inputs) * block.stride,
                                 block.data + (widths.first_product + s * part.products) * block.stride,
                                 block.stride, block.stride, row, kernel.whole() ? row : block.count});
        });
        device_.for_each(executor, kernel.kernel_rows(), kernel);
        if (!kernel.whole())
            device_.for_each(executor, 1LL * widths.products * block.points,
                             kernels::BlockPadding<Real>{block});
    };
    {
        const Timers::Scope scope(timers, Part::x_lines);
        row_lines_->through(
            {pieces, layout_.grid.p_row, y0, rows},
            {widths.inputs, widths.products, parities_.inputs.data(), parities_.products.data()}, scale_,
            executors_.behind_plane(executor), at_points);
    }
    if (measures) add_maxima(maxima, Pass::maxima, executor);
}

template <class Device, class Real>
template <class Pass>
void RowStage<Device, Real>::through_blocks(const Pass& pass, int executor, const kernels::RowOrder& order,
                                            int y0, int rows, const kernels::RowPiece<Real>* pieces) {
    const auto scope = executors_.timed(executor, Part::x_lines);
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
                                            order.pairs(y0, rows),
                                            Divisor(executors_.workspace.block_pairs),
                                            order,
                                            scale_ / 2,
                                            Pass::maxima > 0 && pass.wants_maxima()};
    std::copy_n(pieces, layout_.grid.p_row, program.pieces);
    std::transform(pieces, pieces + layout_.grid.p_row, program.piece_widths,
                   [](const kernels::RowPiece<Real>& piece) { return Divisor(piece.width()); });
    const int most = std::max(program.widths.inputs, program.widths.products);
    device_.for_blocks(executor, program.blocks(),
                       1LL * executors_.workspace.block_pairs * most * program.lines.pitch *
                           std::int64_t{sizeof(Value)},
                       program);
}

template <class Device, class Real>
template <class Pass>
void RowStage<Device, Real>::through_pairs(const Pass& pass, int executor, const kernels::RowOrder& order,
                                           int y0, int rows, const kernels::RowPiece<Real>* pieces) {
    const Widths widths = widths_of(pass);
    const kernels::LineBlock<Real> in = line_block(executor, false, order.pairs(y0, rows));
    const kernels::LineBlock<Real> out = line_block(executor, true, order.pairs(y0, rows));
    if constexpr (Pass::inputs > 0) {
        {
            const auto scope = executors_.timed(executor, Part::pack);
            merge_rows(device_, executor, layout_, in, widths.inputs, pieces);
        }
        const auto scope = executors_.timed(executor, Part::x_lines);
        for (int v = 0; v < widths.inputs; ++v)
            device_.transform(executor,
                              *in_[parities_.inputs[static_cast<std::size_t>(v)]].at(in.live_pairs()),
                              in.line(v, 0), executors_.lent(executor));
    }
    work_at_points(pass, executor, order, in, out);
    if constexpr (Pass::products > 0) {
        {
            const auto scope = executors_.timed(executor, Part::x_lines);
            for (int v = 0; v < widths.products; ++v)
                device_.transform(executor,
                                  *out_[parities_.products[static_cast<std::size_t>(v)]].at(out.live_pairs()),
                                  out.line(v, 0), executors_.lent(executor));
        }
        const auto scope = executors_.timed(executor, Part::pack);
        separate_rows(device_, executor, layout_, out, widths.products, scale_, pieces);
    }
}

// `in` and `out` may be the same: parts are worked on from the last, whose products lie behind all inputs
// that are still wanted.
template <class Device, class Real>
template <class Pass>
void RowStage<Device, Real>::work_at_points(const Pass& pass, int executor, const kernels::RowOrder& order,
                                            const kernels::LineBlock<Real>& in,
                                            const kernels::LineBlock<Real>& out) {
    const auto scope = executors_.timed(executor, Part::point);
    if constexpr (Pass::maxima > 0)
        if (pass.wants_maxima()) measure(pass, executor, in);
    each_part(pass, [&]<class Sub>(const Sub& part, int s) {
        const auto reals = [](const kernels::LineBlock<Real>& block, int v) {
            return reinterpret_cast<Real*>(block.line(v, 0));
        };
        const std::int64_t pitch = 2LL * in.pitch;
        device_.for_each(
            executor, in.live_pairs(),
            kernels::PartPoints<Real, Sub>{part, reals(in, 0), reals(in, Pass::inputs + s * part.inputs),
                                           reals(out, widths_of(pass).first_product + s * part.products),
                                           in.pairs * pitch, out.pairs * pitch, pitch, 2LL * in.nx});
    });
    device_.for_each(executor, in.live_pairs(), kernels::Points<Real, Pass>{pass, in, out, order});
}

template <class Device, class Real>
template <class Pass>
void RowStage<Device, Real>::measure(const Pass& pass, int executor, const kernels::LineBlock<Real>& block) {
    if constexpr (Device::streams) {
        device_.raise(executor, block.live_pairs(), kernels::Measured<Real, Pass>{pass, block});
    } else {
        kernels::Maxima<Real, Pass> maxima;
        for (int pair = 0; pair < block.live_pairs(); ++pair)
            maxima.add(pass, reinterpret_cast<const Real*>(block.line(0, pair)),
                       2LL * block.pairs * block.pitch, 2LL * block.nx);
        add_maxima(maxima, Pass::maxima, executor);
    }
}

template <class Device, class Real>
template <class Maxima>
void RowStage<Device, Real>::add_maxima(const Maxima& maxima, int number, int executor) {
    auto& largest = maxima_[static_cast<std::size_t>(executor)];
    for (int m = 0; m < number; ++m) {
        const double value = maxima.value(m);
        double& known = largest[static_cast<std::size_t>(m)];
        if (!(value <= known) && known == known) known = value; // a NaN stays
    }
}

} // namespace whorl

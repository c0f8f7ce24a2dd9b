// The stage of rows on a GPU (row_stage.hpp): in the memory of blocks of threads (row_program.hpp), or as
// pairs of rows if they do not fit or another kind of lines is chosen.
#pragma once

#include <algorithm>

#include "roundtrip/row_pairs.hpp"
#include "roundtrip/row_program.hpp"

namespace whorl {

template <class Device, class Real> class RowsOnQueues : public RowPairLines<Device, Real> {
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
void RowsOnQueues<Device, Real>::through_blocks(const Pass& pass, int executor,
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

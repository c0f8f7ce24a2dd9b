// Pieces of rows <-> pairs of rows as lines of any kind, whatever the ends of x.
#pragma once

#include "roundtrip/wall_kernels.hpp"

namespace whorl {

template <class Device, class Real>
void merge_rows(Device& device, int executor, const Layout& layout, const kernels::LineBlock<Real>& lines,
                int variables, const kernels::RowPiece<Real>* pieces) {
    const std::int64_t rows = 1LL * variables * lines.live_pairs();
    for (int r = 0; r < layout.grid.p_row; ++r) {
        if (layout.per_element == 2)
            device.for_each(executor, rows, kernels::MergePairs<Real>{pieces[r], lines});
        else
            device.for_each(executor, rows, kernels::Merge<Real>{pieces[r], lines});
    }
    if (layout.per_element == 2) return;
    device.for_each(executor, lines.live_pairs(), kernels::MergeMean<Real>{pieces[0], lines, variables});
    device.for_each(executor, rows, kernels::MergePadding<Real>{lines, layout.kept_x});
}

template <class Device, class Real>
void separate_rows(Device& device, int executor, const Layout& layout, const kernels::LineBlock<Real>& lines,
                   int variables, Real scale, const kernels::RowPiece<Real>* pieces) {
    const std::int64_t rows = 1LL * variables * lines.live_pairs();
    if (layout.per_element == 1) device.for_each(executor, rows, kernels::Mirror<Real>{lines});
    for (int r = 0; r < layout.grid.p_row; ++r) {
        if (layout.per_element == 2)
            device.for_each(executor, rows, kernels::SeparatePairs<Real>{pieces[r], lines, scale});
        else
            device.for_each(executor, rows, kernels::Separate<Real>{pieces[r], lines, scale / 2});
    }
}

} // namespace whorl

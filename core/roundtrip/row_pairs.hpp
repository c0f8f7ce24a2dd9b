// Pieces of rows <-> pairs of rows as lines of any kind, whatever the ends of x.
#pragma once

#include "device/cpu.hpp"
#include "roundtrip/wall_kernels.hpp"

namespace whorl {

template <class Real>
void merge_rows(const Layout& layout, const kernels::LineBlock<Real>& lines, int variables,
                const kernels::RowPiece<Real>* pieces) {
    using device::Cpu;
    const std::int64_t rows = 1LL * variables * lines.live_pairs();
    for (int r = 0; r < layout.grid.p_row; ++r) {
        if (layout.per_element == 2)
            Cpu::for_each(rows, kernels::MergePairs<Real>{pieces[r], lines});
        else
            Cpu::for_each(rows, kernels::Merge<Real>{pieces[r], lines});
    }
    if (layout.per_element == 2) return;
    Cpu::for_each(lines.live_pairs(), kernels::MergeMean<Real>{pieces[0], lines, variables});
    Cpu::for_each(rows, kernels::MergePadding<Real>{lines, layout.kept_x});
}

template <class Real>
void separate_rows(const Layout& layout, const kernels::LineBlock<Real>& lines, int variables, Real scale,
                   const kernels::RowPiece<Real>* pieces) {
    using device::Cpu;
    const std::int64_t rows = 1LL * variables * lines.live_pairs();
    if (layout.per_element == 1) Cpu::for_each(rows, kernels::Mirror<Real>{lines});
    for (int r = 0; r < layout.grid.p_row; ++r) {
        if (layout.per_element == 2)
            Cpu::for_each(rows, kernels::SeparatePairs<Real>{pieces[r], lines, scale});
        else
            Cpu::for_each(rows, kernels::Separate<Real>{pieces[r], lines, scale / 2});
    }
}

} // namespace whorl

// Compiled once for each device.
#include "roundtrip/row_pairs.hpp"

#include <algorithm>

#include "device/chosen.hpp"

namespace whorl {

template <class Device, class Real>
RowPairLines<Device, Real>::RowPairLines(const StageContext<Device, Real>& of, double scale)
    : Base(of), scale_(static_cast<Real>(scale)),
      shares_(static_cast<std::size_t>(device_.executors()),
              std::vector<device::RowShare<Real>>(static_cast<std::size_t>(layout_.grid.p_row))),
      in_(layout_, 0), out_(layout_, 0) {}

template <class Device, class Real>
void RowPairLines<Device, Real>::make_pair_plans(device::LineKind kind, const std::set<int>& planes) {
    const Workspace& space = executors_.workspace;
    std::set<int> pairs;
    for (const int count : planes) {
        const int own = layout_.y.size(), together = space.planes > 1 ? count : 1;
        for (int y = 0; y < own * together; y += space.rows)
            pairs.insert(together * ((std::min(space.rows / together, own - y) + 1) / 2));
    }
    for (const device::Basis basis : in_.bases()) {
        in_[basis].clear();
        out_[basis].clear();
        for (const int count : pairs) {
            device::LineShape shape{layout_.nx, count, 1, space.line_pitch};
            shape.basis = basis;
            if (basis != device::Basis::fourier) shape.kept = layout_.kept_x;
            in_[basis][count] = device_.template make_plan<Real>(kind, shape, device::Direction::backward);
            out_[basis][count] = device_.template make_plan<Real>(kind, shape, device::Direction::forward);
        }
    }
}

template <class Device, class Real>
kernels::LinesOfPairs<Real> RowPairLines<Device, Real>::lines_of_pairs(int executor, bool out,
                                                                       const kernels::RowPairs& rows) {
    const Workspace& space = executors_.workspace;
    return {executors_.behind_plane(executor) + (out ? space.lines_in : 0), layout_.nx, space.line_pitch,
            space.pairs, rows};
}

template <class Device, class Real>
const device::RowShare<Real>* RowPairLines<Device, Real>::shares(int executor, int index, int batch) {
    auto& shares = shares_[static_cast<std::size_t>(executor)];
    for (int r = 0; r < layout_.grid.p_row; ++r) {
        const Dealt elements = layout_.peer_elements(r);
        const RowAddress address = layout_.row_x_address(r, index, batch);
        shares[static_cast<std::size_t>(r)] = {exchanges_.row_x() + address.base, address.stride,
                                               address.pitch, elements, elements.size()};
    }
    return shares.data();
}

template <class Device, class Real>
template <bool walled>
void RowPairLines<Device, Real>::merge(int executor, const PairLines& lines, int variables,
                                       const RowsInHand<Real>& rows) {
    const std::int64_t of_kernel = 1LL * variables * lines.live_pairs();
    for (int r = 0; r < layout_.grid.p_row; ++r)
        device_.for_each(executor, of_kernel, kernels::Merge<Real, walled>{rows.shares[r], lines});
    if (!walled) device_.for_each(executor, of_kernel, kernels::MergePadding<Real>{lines, layout_.kept_x});
}

template <class Device, class Real>
template <bool walled>
void RowPairLines<Device, Real>::separate(int executor, const PairLines& lines, int variables,
                                          const RowsInHand<Real>& rows) {
    for (int r = 0; r < layout_.grid.p_row; ++r)
        device_.for_each(
            executor, 1LL * variables * lines.live_pairs(),
            kernels::Separate<Real, walled>{rows.shares[r], lines, walled ? scale_ : scale_ / 2});
}

template <class Device, class Real>
void RowPairLines<Device, Real>::lines_in(int executor, const PairLines& lines, int variables,
                                          const RowsInHand<Real>& rows) {
    {
        const auto scope = executors_.timed(executor, Task::pack);
        layout_.per_element == 2 ? merge<true>(executor, lines, variables, rows)
                                 : merge<false>(executor, lines, variables, rows);
    }
    const auto scope = executors_.timed(executor, Task::x_lines);
    for (int v = 0; v < variables; ++v)
        device_.transform(executor, *in_[parities_.input(v)].at(lines.live_pairs()), lines.line(v, 0),
                          executors_.scratch(executor));
}

template <class Device, class Real>
void RowPairLines<Device, Real>::lines_out(int executor, const PairLines& lines, int variables,
                                           const RowsInHand<Real>& rows) {
    {
        const auto scope = executors_.timed(executor, Task::x_lines);
        for (int v = 0; v < variables; ++v)
            device_.transform(executor, *out_[parities_.product(v)].at(lines.live_pairs()), lines.line(v, 0),
                              executors_.scratch(executor));
    }
    const auto scope = executors_.timed(executor, Task::pack);
    layout_.per_element == 2 ? separate<true>(executor, lines, variables, rows)
                             : separate<false>(executor, lines, variables, rows);
}

template class RowPairLines<device::Chosen, float>;
template class RowPairLines<device::Chosen, double>;

} // namespace whorl

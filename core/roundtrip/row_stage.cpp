// What the stage of rows does whatever the pass. Compiled once for each device.
#include "roundtrip/row_stage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/maximum.hpp"
#include "device/chosen.hpp"

namespace whorl {

template <class Device, class Real>
RowStage<Device, Real>::RowStage(const Layout& layout, Device& device, Executors<Device, Real>& executors,
                                 Exchanges<Device, Real>& exchanges, const Parities& parities, double scale)
    : layout_(layout), device_(device), executors_(executors), exchanges_(exchanges), parities_(parities),
      scale_(static_cast<Real>(scale)),
      pieces_(static_cast<std::size_t>(device.executors()),
              std::vector<kernels::RowPiece<Real>>(static_cast<std::size_t>(layout.grid.p_row))),
      maxima_(static_cast<std::size_t>(device.executors())), in_(layout, 0), out_(layout, 0) {}

template <class Device, class Real>
void RowStage<Device, Real>::take_lines(const LineChoice& choice, const std::set<int>& planes) {
    row_lines_.reset();
    if (executors_.workspace.block_pairs > 0)
        row_tables_ = std::make_unique<device::LineTables<Memory, Real>>(layout_.nx);
    else if (choice.x == device::LineKind::own && !Device::streams)
        row_lines_ =
            std::make_unique<device::RowLines<Real>>(layout_.nx, layout_.kept_x, layout_.per_element == 2);
    else
        make_pair_lines(choice.x, planes);
}

template <class Device, class Real>
void RowStage<Device, Real>::make_pair_lines(device::LineKind kind, const std::set<int>& planes) {
    const Workspace& space = executors_.workspace;
    std::set<int> pairs;
    for (const int count : planes) {
        const int own = layout_.y.size(), together = space.planes > 1 ? count : 1;
        for (int y = 0; y < own * together; y += space.rows)
            pairs.insert(together * ((std::min(space.rows / together, own - y) + 1) / 2));
    }
    for (const device::Basis basis : in_.bases())
        for (const int count : pairs) {
            device::LineShape shape{layout_.nx, count, 1, space.line_pitch};
            shape.basis = basis;
            if (basis != device::Basis::fourier) shape.kept = layout_.kept_x;
            in_[basis][count] = device_.template make_lines<Real>(kind, shape, device::Direction::backward);
            out_[basis][count] = device_.template make_lines<Real>(kind, shape, device::Direction::forward);
        }
}

template <class Device, class Real>
kernels::LineBlock<Real> RowStage<Device, Real>::line_block(int executor, bool out,
                                                            const kernels::RowPairs& rows) {
    const Workspace& space = executors_.workspace;
    return {executors_.behind_plane(executor) + (out ? space.lines_in : 0), layout_.nx, space.line_pitch,
            space.pairs, rows};
}

template <class Device, class Real>
const kernels::RowPiece<Real>* RowStage<Device, Real>::pieces(int executor, int index, int batch) {
    auto& pieces = pieces_[static_cast<std::size_t>(executor)];
    for (int r = 0; r < layout_.grid.p_row; ++r) {
        const Dealt elements = layout_.peer_elements(r);
        const RowSlot slot = layout_.row_x_slot(r, index, batch);
        pieces[static_cast<std::size_t>(r)] = {exchanges_.row_x() + slot.base, slot.stride, slot.pitch,
                                               elements, elements.size()};
    }
    return pieces.data();
}

template <class Device, class Real> void RowStage<Device, Real>::forget_maxima() {
    for (auto& largest : maxima_) largest = {0.0, 0.0};
}

template <class Device, class Real> std::array<double, 2> RowStage<Device, Real>::maxima() {
    if constexpr (Device::streams) maxima_.front() = device_.raised();
    constexpr double spoilt = std::numeric_limits<double>::quiet_NaN();
    std::array<double, 2> largest{0.0, 0.0};
    for (const auto& of_executor : maxima_)
        for (std::size_t m = 0; m < 2; ++m)
            largest[m] = larger(largest[m], std::isfinite(of_executor[m]) ? of_executor[m] : spoilt);
    return largest;
}

template class RowStage<device::Chosen, float>;
template class RowStage<device::Chosen, double>;

} // namespace whorl

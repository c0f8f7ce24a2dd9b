// Compiled once for each device.
#include "roundtrip/plane_groups.hpp"

#include "device/chosen.hpp"

namespace whorl {

template <class Device, class Real>
PlaneGroups<Device, Real>::PlaneGroups(const StageContext<Device, Real>& of)
    : Base(of), y_pencil_addresses_(layout_.y_pencil_addresses), column_rows_(layout_.column_rows),
      in_(layout_, 1), out_(layout_, 1) {}

template <class Device, class Real> void PlaneGroups<Device, Real>::make_plans(const LineChoice& choice) {
    using device::Direction;
    const device::LineKind kind = kind_of(choice.y, layout_.ny);
    const int pitch = executors_.workspace.pitch;
    const int elements = groups_of_lines(layout_.elements.size()) * lines_at_once;
    for (const device::Basis basis : in_.bases()) {
        in_[basis].clear();
        out_[basis].clear();
        for (const int count : group_sizes()) {
            const device::LineShape shape{layout_.ny, (count - 1) * pitch + elements, 1LL * count * pitch,
                                          1,          layout_.extent_y + 1,           basis};
            in_[basis][count] = device_.template make_plan<Real>(kind, shape, Direction::backward);
            out_[basis][count] = device_.template make_plan<Real>(kind, shape, Direction::forward);
        }
    }
}

template <class Device, class Real> std::set<int> PlaneGroups<Device, Real>::group_sizes() const {
    std::set<int> sizes;
    for (int b = 0; b < layout_.batches; ++b)
        for (const Range& all : {layout_.planes(b), layout_.point_planes(b)})
            for (int i = 0; i < groups(all); ++i) sizes.insert(group(all, i).size());
    return sizes;
}

template <class Device, class Real>
kernels::Planes<Real> PlaneGroups<Device, Real>::planes(int executor, const Range& z) {
    const int pitch = executors_.workspace.pitch;
    return {executors_.space(executor), layout_.ny, z.size(),
            layout_.elements.size(),    pitch,      1LL * layout_.ny * z.size() * pitch};
}

template <class Device, class Real>
kernels::PencilRows<Real> PlaneGroups<Device, Real>::pencil_rows(const Range& z) {
    const std::int64_t before = static_cast<std::int64_t>(z.begin - layout_.z.begin) * layout_.grid.p_col;
    return {exchanges_.y_pencil(), y_pencil_addresses_.data() + before,
            column_rows_.data(),   layout_.grid.p_col,
            layout_.extent_y,      layout_.kept_y};
}

template <class Device, class Real>
template <bool to_buffer>
void PlaneGroups<Device, Real>::move_rows(int executor, const Range& z, int b, int variables) {
    const auto scope = executors_.timed(executor, Task::pack);
    for (int r = 0; r < layout_.grid.p_row; ++r) {
        const Range rows = layout_.peer_y(r), theirs = layout_.planes_of(r, z);
        kernels::Planes<Real> p = planes(executor, z);
        p.data += 1LL * (theirs.begin - z.begin) * p.pitch; // all planes, or where y is flat those of r
        p.count = theirs.size();
        const int index = theirs.begin - layout_.planes_of(r, layout_.planes(b)).begin;
        const RowAddress address = layout_.row_y_address(r, index, b),
                         next = layout_.row_y_address(r, index + 1, b);
        device_.for_each(executor, 1LL * variables * theirs.size() * rows.size(),
                         kernels::MoveRows<Real, to_buffer>{p, exchanges_.row_y() + address.base,
                                                            address.stride, next.base - address.base, rows});
    }
}

template class PlaneGroups<device::Chosen, float>;
template class PlaneGroups<device::Chosen, double>;

template void PlaneGroups<device::Chosen, float>::move_rows<true>(int, const Range&, int, int);
template void PlaneGroups<device::Chosen, float>::move_rows<false>(int, const Range&, int, int);
template void PlaneGroups<device::Chosen, double>::move_rows<true>(int, const Range&, int, int);
template void PlaneGroups<device::Chosen, double>::move_rows<false>(int, const Range&, int, int);

} // namespace whorl

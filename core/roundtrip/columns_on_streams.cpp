// Compiled once for each device with streams.
#include "roundtrip/columns_on_streams.hpp"

#include "device/chosen.hpp"

namespace whorl {

template <class Device, class Real>
ColumnsOnStreams<Device, Real>::ColumnsOnStreams(const StageContext<Device, Real>& of)
    : Base(of), z_pencil_addresses_(layout_.z_pencil_addresses), in_(layout_, 2), out_(layout_, 2) {
    std::vector<ColumnIndex> indices(static_cast<std::size_t>(layout_.columns));
    count_ = 0;
    for (std::size_t j = 0; j < layout_.ky.size(); ++j)
        for (int i = 0; i < layout_.column_length[j]; ++i)
            indices[static_cast<std::size_t>(count_++)] = {static_cast<int>(j), i};
    column_indices_ = device::copied<ColumnIndex, Memory>(indices);
}

template <class Device, class Real>
void ColumnsOnStreams<Device, Real>::make_plans(const LineChoice& choice) {
    using device::Direction;
    const int together = executors_.workspace.columns;
    for (const device::Basis basis : in_.bases()) {
        in_[basis].clear(); // their pitch may be that of another workspace
        out_[basis].clear();
        for (const int count : {std::min(together, count_), count_ % together}) {
            const auto width = static_cast<std::size_t>(groups_of_lines(count));
            for (auto* lines : {&in_[basis], &out_[basis]}) lines->resize(std::max(lines->size(), width + 1));
            if (count == 0 || in_[basis][width]) continue;
            const device::LineShape shape{
                layout_.nz, static_cast<int>(width) * lines_at_once, pitch(), 1, layout_.extent_z + 1, basis};
            in_[basis][width] = device_.template make_plan<Real>(choice.z, shape, Direction::backward);
            out_[basis][width] = device_.template make_plan<Real>(choice.z, shape, Direction::forward);
        }
    }
}

template <class Device, class Real>
kernels::ColumnEnds<Real> ColumnsOnStreams<Device, Real>::ends_of(const kernels::Columns<Real>& columns,
                                                                  int first_variable) {
    return {modes_.tables(),
            modes_.phases(),
            column_indices_.data(),
            columns,
            {exchanges_.z_pencil(), z_pencil_addresses_.data(), columns.first, columns.count},
            first_variable,
            layout_.in_place};
}

template class ColumnsOnStreams<device::Chosen, float>;
template class ColumnsOnStreams<device::Chosen, double>;

} // namespace whorl

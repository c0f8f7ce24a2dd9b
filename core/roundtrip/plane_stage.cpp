// What the stage of planes does whatever the pass. Compiled once for each device.
#include "roundtrip/plane_stage.hpp"

#include <algorithm>

#include "device/chosen.hpp"

namespace whorl {

template <class Device, class Real>
PlaneStage<Device, Real>::PlaneStage(const Layout& layout, Device& device, Executors<Device, Real>& executors,
                                     Exchanges<Device, Real>& exchanges, const ModeSpace<Device, Real>& modes,
                                     const Parities& parities)
    : layout_(layout), device_(device), executors_(executors), exchanges_(exchanges), modes_(modes),
      parities_(parities), y_pencil_slots_(layout.y_pencil_slots), column_rows_(layout.column_rows),
      next_(static_cast<std::size_t>(device.executors())), in_(layout, 1), out_(layout, 1) {}

template <class Device, class Real> void PlaneStage<Device, Real>::take_lines(const LineChoice& choice) {
    using device::Direction;
    // A line of one point is its own transform: nothing is faster than the direct sum.
    const device::LineKind kind = layout_.ny == 1 ? device::LineKind::direct : choice.y;
    const int pitch = executors_.workspace.pitch;
    const int elements = lane_steps(layout_.elements.size()) * lane_step;
    for (const int count : group_sizes())
        for (const device::Basis basis : in_.bases()) {
            const device::LineShape shape{layout_.ny, (count - 1) * pitch + elements, 1LL * count * pitch,
                                          1,          layout_.extent_y + 1,           basis};
            in_[basis][count] = device_.template make_lines<Real>(kind, shape, Direction::backward);
            out_[basis][count] = device_.template make_lines<Real>(kind, shape, Direction::forward);
        }
}

template <class Device, class Real> std::set<int> PlaneStage<Device, Real>::group_sizes() const {
    std::set<int> sizes;
    for (int b = 0; b < layout_.batches; ++b)
        for (const Block& all : {layout_.planes(b), layout_.point_planes(b)})
            for (int i = 0; i < groups(all); ++i) sizes.insert(group(all, i).size());
    return sizes;
}

template <class Device, class Real>
kernels::Planes<Real> PlaneStage<Device, Real>::planes(int executor, const Block& z) {
    const int pitch = executors_.workspace.pitch;
    return {executors_.space(executor), layout_.ny, z.size(),
            layout_.elements.size(),    pitch,      1LL * layout_.ny * z.size() * pitch};
}

template <class Device, class Real>
kernels::Spread<Real> PlaneStage<Device, Real>::spread_of(int executor, const Block& z) {
    return {planes(executor, z), exchanges_.y_pencil(), slots_of(z),       column_rows_.data(),
            layout_.extent_y,    layout_.kept_y,        layout_.grid.p_col};
}

template <class Device, class Real>
void PlaneStage<Device, Real>::find_next(int executor, const Block& z, const Block& batch, int variables) {
    const int plane = z.begin + device_.executors(); // the others take those between
    const std::int64_t rows = plane < batch.end ? 1LL * variables * layout_.kept_y : 0;
    next_[static_cast<std::size_t>(executor)] = {
        rows > 0 ? spread_of(executor, {plane, plane + 1}) : kernels::Spread<Real>{}, rows, 0, 0};
}

template <class Device, class Real>
void PlaneStage<Device, Real>::fetch_next(int executor, std::int64_t points) {
    NextPlane& next = next_[static_cast<std::size_t>(executor)];
    next.points += points;
    const std::int64_t all = 1LL * layout_.nx * layout_.ny;
    const std::int64_t wanted = next.rows * std::min(next.points, all) / all;
    if constexpr (!Device::streams)
        for (; next.fetched < wanted; ++next.fetched) {
            const auto row = next.spread.row(next.fetched);
            Device::fetch(row.from, static_cast<std::size_t>(row.length) * sizeof(Value));
        }
}

template <class Device, class Real>
void PlaneStage<Device, Real>::lines_in(int executor, const Block& z, int variables) {
    const kernels::Planes<Real> p = planes(executor, z);
    const kernels::Spread<Real> spread = spread_of(executor, z);
    if constexpr (Device::streams)
        if (const Lines& lines = *in_[even].at(z.size()); lines.lanes() > 0) {
            const auto scope = executors_.timed(executor, Part::y_lines);
            const kernels::SpreadLines<Real> ends{spread};
            return device_.template transform_between<device::Direction::backward>(
                executor, lines, 1LL * variables * z.size(), ends);
        }
    const auto lines_at = [&](int v) -> const Lines& {
        return *in_[parities_.inputs[static_cast<std::size_t>(v)]].at(z.size());
    };
    if constexpr (Device::streams) {
        {
            const auto scope = executors_.timed(executor, Part::pack);
            const std::int64_t rows = 1LL * variables * z.size() * layout_.kept_y;
            device_.for_each(executor, rows, spread);
            device_.for_each(executor, rows, kernels::SpreadPadding<Real>{spread});
        }
        const auto scope = executors_.timed(executor, Part::y_lines);
        executors_.transform_each(executor, variables, p.row(0, 0, 0), p.stride, lines_at);
    } else {
        const auto scope = executors_.timed(executor, Part::y_lines);
        gather_plane(executor, spread, variables, lines_at);
    }
}

// One plane, whose lines are read from the y-pencil as they are transformed; while one variable's are, the
// next one's are fetched.
template <class Device, class Real>
template <class LinesOfVariable>
void PlaneStage<Device, Real>::gather_plane(int executor, const kernels::Spread<Real>& spread, int variables,
                                            const LinesOfVariable& lines) {
    auto &rows = executors_.rows(executor), &next_rows = executors_.next_rows(executor);
    const auto point_at = [&](std::vector<device::LineRow<Real>>& to, int v) {
        std::fill(to.begin(), to.end(), device::LineRow<Real>{});
        for (int j = 0; j < layout_.kept_y; ++j) {
            const auto row = spread.row(1LL * v * layout_.kept_y + j);
            const int y = wrapped(signed_index(j, layout_.extent_y), layout_.ny);
            to[static_cast<std::size_t>(y)] = {const_cast<Value*>(row.from), row.length};
        }
    };
    if (variables > 0) point_at(rows, 0);
    // In the order of memory: lane by lane the rows would come one cache line after the other from
    // everywhere.
    for (const device::LineRow<Real>& row : rows)
        Device::fetch(row.data, static_cast<std::size_t>(row.length) * sizeof(Value));
    for (int v = 0; v < variables; ++v) {
        const bool last = v + 1 == variables;
        if (!last) point_at(next_rows, v + 1);
        lines(v).gather(rows.data(), spread.planes.row(v, 0, 0), last ? device::RowsAhead<Real>{} : next_rows,
                        executors_.lent(executor));
        std::swap(rows, next_rows);
    }
}

template <class Device, class Real>
void PlaneStage<Device, Real>::lines_out(int executor, const Block& z, int variables) {
    const auto scope = executors_.timed(executor, Part::y_lines);
    const kernels::Planes<Real> p = planes(executor, z);
    executors_.transform_each(executor, variables, p.row(0, 0, 0), p.stride, [&](int v) -> const Lines& {
        return *out_[parities_.products[static_cast<std::size_t>(v)]].at(z.size());
    });
}

template <class Device, class Real>
template <bool to_buffer>
void PlaneStage<Device, Real>::move_rows(int executor, const Block& z, int b, int variables) {
    const auto scope = executors_.timed(executor, Part::pack);
    for (int r = 0; r < layout_.grid.p_row; ++r) {
        const Block rows = layout_.peer_y_block(r), theirs = layout_.planes_of(r, z);
        kernels::Planes<Real> p = planes(executor, z);
        p.data += 1LL * (theirs.begin - z.begin) * p.pitch; // all of them, or those of one row of y
        p.count = theirs.size();
        const int index = theirs.begin - layout_.planes_of(r, layout_.planes(b)).begin;
        const RowSlot slot = layout_.row_y_slot(r, index, b), next = layout_.row_y_slot(r, index + 1, b);
        device_.for_each(executor, 1LL * variables * theirs.size() * rows.size(),
                         kernels::MoveRows<Real, to_buffer>{p, exchanges_.row_y() + slot.base, slot.stride,
                                                            next.base - slot.base, rows});
    }
}

template <class Device, class Real>
bool PlaneStage<Device, Real>::in_blocks(const Block& z, int products) const {
    if constexpr (Device::streams)
        return layout_.per_element == 1 && out_[even].at(z.size())->lanes(products) > 0;
    else
        return false;
}

template class PlaneStage<device::Chosen, float>;
template class PlaneStage<device::Chosen, double>;

template void PlaneStage<device::Chosen, float>::move_rows<true>(int, const Block&, int, int);
template void PlaneStage<device::Chosen, float>::move_rows<false>(int, const Block&, int, int);
template void PlaneStage<device::Chosen, double>::move_rows<true>(int, const Block&, int, int);
template void PlaneStage<device::Chosen, double>::move_rows<false>(int, const Block&, int, int);

} // namespace whorl

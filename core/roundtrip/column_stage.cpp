// What the stage of columns does whatever the pass. Compiled once for each device.
#include "roundtrip/column_stage.hpp"

#include <algorithm>

#include "device/chosen.hpp"
#include "device/cpu.hpp"

namespace whorl {

template <class Device, class Real>
ColumnStage<Device, Real>::ColumnStage(const Layout& layout, Device& device,
                                       Executors<Device, Real>& executors, Exchanges<Device, Real>& exchanges,
                                       const ModeSpace<Device, Real>& modes, const Parities& parities)
    : layout_(layout), device_(device), executors_(executors), exchanges_(exchanges), modes_(modes),
      parities_(parities), z_pencil_slots_(layout.z_pencil_slots),
      widened_(static_cast<std::size_t>(device.executors())), in_(layout, 2), out_(layout, 2) {
    if constexpr (Device::streams) {
        std::vector<ColumnPlace> places(static_cast<std::size_t>(layout.columns));
        for (std::size_t j = 0; j < layout.ky.size(); ++j)
            for (int i = 0; i < layout.column_length[j]; ++i)
                places[static_cast<std::size_t>(layout.column_offset[j] + i)] = {static_cast<int>(j), i};
        column_places_ = device::copied<ColumnPlace, Memory>(places);
    }
}

template <class Device, class Real> void ColumnStage<Device, Real>::take_lines(const LineChoice& choice) {
    using device::Direction;
    const Workspace& space = executors_.workspace;
    make_tiles();
    segment_table_ = device::Table<kernels::Segment, Memory>(segments_);
    // A line of one point is its own transform: nothing is faster than the direct sum.
    const device::LineKind kind = layout_.nz == 1 ? device::LineKind::direct : choice.z;
    const std::int64_t lanes = layout_.in_place && Device::streams ? layout_.columns : space.lanes;
    for (const device::Basis basis : in_.bases()) {
        in_[basis].clear();
        out_[basis].clear();
        in_[basis].resize(static_cast<std::size_t>(lane_steps(space.columns)) + 1);
        out_[basis].resize(in_[basis].size());
        for (const ColumnTile& t : tiles_) {
            const auto width = static_cast<std::size_t>(lane_steps(t.count));
            if (in_[basis][width]) continue;
            device::LineShape shape{
                layout_.nz, static_cast<int>(width) * lane_step, lanes, 1, layout_.extent_z + 1, basis};
            shape.streams = true; // to the z-pencil
            in_[basis][width] = device_.template make_lines<Real>(kind, shape, Direction::backward);
            out_[basis][width] = device_.template make_lines<Real>(kind, shape, Direction::forward);
        }
    }
    if (layout_.per_element == 2 && !Device::streams)
        for (auto& row : widened_)
            row.resize(static_cast<std::size_t>(layout_.column_variables * 2 * space.columns));
}

// Whole tiles of columns whatever ky they belong to: short rows of a sphere waste no lanes.
template <class Device, class Real> void ColumnStage<Device, Real>::make_tiles() {
    const int columns = executors_.workspace.columns;
    tiles_.clear();
    segments_.clear();
    for (int j = 0; j < static_cast<int>(layout_.ky.size()); ++j)
        for (int first = 0; first < layout_.column_length[static_cast<std::size_t>(j)];) {
            if (tiles_.empty() || tiles_.back().count == columns)
                tiles_.push_back({layout_.column_offset[static_cast<std::size_t>(j)] + first, 0,
                                  static_cast<int>(segments_.size()), 0});
            ColumnTile& t = tiles_.back();
            const int count =
                std::min(columns - t.count, layout_.column_length[static_cast<std::size_t>(j)] - first);
            segments_.push_back({j, first, count, t.count});
            ++t.segments;
            t.count += count;
            first += count;
        }
}

template <class Device, class Real>
kernels::Tile<Real> ColumnStage<Device, Real>::tile(int executor, std::int64_t number) {
    const ColumnTile& t = tiles_[static_cast<std::size_t>(number)];
    const bool in_place = Device::streams && layout_.in_place;
    const std::int64_t lanes = in_place ? layout_.columns : executors_.workspace.lanes;
    return {in_place ? exchanges_.z_pencil() + t.column : executors_.space(executor),
            t.count,
            layout_.nz,
            layout_.extent_z,
            layout_.kept_z,
            t.segments,
            segment_table_.data() + t.first_segment,
            lanes,
            layout_.nz * lanes,
            t.column};
}

template <class Device, class Real>
template <bool to_pencil>
void ColumnStage<Device, Real>::move_lines(int executor, const kernels::ColumnRows<Real>& columns,
                                           const Lines& lines, int variables) {
    constexpr auto direction = to_pencil ? device::Direction::backward : device::Direction::forward;
    const device::LineShape modes{layout_.nz, 1, 1, 1, layout_.extent_z + 1};
    const kernels::ColumnLines<Real, to_pencil> ends{columns, modes.dropped()};
    device_.template transform_between<direction>(executor, lines, variables, ends);
}

template <class Device, class Real>
void ColumnStage<Device, Real>::lines_in(int executor, const kernels::Tile<Real>& t, int variables) {
    const auto scope = executors_.timed(executor, Part::z_lines);
    const kernels::ColumnRows<Real> columns{t, exchanges_.z_pencil(), z_pencil_slots_.data()};
    const auto lines = [&](int v) -> const Lines& {
        return lines_of(in_, t, parities_.inputs[static_cast<std::size_t>(v)]);
    };
    if constexpr (Device::streams) {
        if (!layout_.in_place && lines(0).lanes() > 0)
            return move_lines<true>(executor, columns, lines(0), variables);
        executors_.transform_each(executor, variables, t.line(0, 0), t.stride, lines);
        if (!layout_.in_place)
            device_.for_each(executor, 1LL * variables * layout_.nz,
                             kernels::MoveColumns<Real, true>{columns});
    } else {
        auto& rows = executors_.rows(executor);
        for (int v = 0; v < variables; ++v) {
            for (int l = 0; l < layout_.nz; ++l) rows[static_cast<std::size_t>(l)] = columns.row(v, l);
            lines(v).scatter(t.line(v, 0), rows.data(), executors_.lent(executor));
        }
    }
}

// The columns lie far apart in memory: while one variable's are transformed the next one's are fetched.
template <class Device, class Real>
void ColumnStage<Device, Real>::lines_out(int executor, std::int64_t number, int variables) {
    const auto scope = executors_.timed(executor, Part::z_lines);
    const kernels::Tile<Real> t = tile(executor, number);
    const auto lines_at = [&](int v) -> const Lines& {
        return lines_of(out_, t, parities_.fluxes[static_cast<std::size_t>(v)].parity);
    };
    if constexpr (Device::streams) {
        const kernels::ColumnRows<Real> columns{t, exchanges_.z_pencil(), z_pencil_slots_.data()};
        if (!layout_.in_place) {
            if (lines_at(0).lanes() > 0) return move_lines<false>(executor, columns, lines_at(0), variables);
            device_.for_each(executor, 1LL * variables * layout_.nz,
                             kernels::MoveColumns<Real, false>{columns});
        }
        executors_.transform_each(executor, variables, t.line(0, 0), t.stride, lines_at);
    } else {
        auto &rows = executors_.rows(executor), &next_rows = executors_.next_rows(executor);
        // The others take those between.
        const std::int64_t next_number = number + device_.executors();
        const kernels::Tile<Real> following = next_number >= tiles() ? t : tile(executor, next_number);
        const auto point_at = [&](std::vector<device::LineRow<Real>>& to, const kernels::Tile<Real>& of,
                                  int v) {
            const kernels::ColumnRows<Real> columns{of, exchanges_.z_pencil(), z_pencil_slots_.data()};
            for (int l = 0; l < layout_.nz; ++l) to[static_cast<std::size_t>(l)] = columns.row(v, l);
        };
        point_at(rows, t, 0);
        for (int v = 0; v < variables; ++v) {
            point_at(next_rows, v + 1 < variables ? t : following, v + 1 < variables ? v + 1 : 0);
            const device::RowsAhead<Real> next{next_rows.data(), static_cast<std::size_t>(layout_.nz)};
            lines_at(v).gather(rows.data(), t.line(v, 0), next, executors_.lent(executor));
            std::swap(rows, next_rows);
        }
    }
}

template <class Device, class Real>
bool ColumnStage<Device, Real>::in_blocks(const AxisLines<ByWidth>& lines, const kernels::Tile<Real>& t,
                                          int variables) const {
    if constexpr (Device::streams)
        return layout_.per_element == 1 && lines_of(lines, t).lanes(variables) > 0;
    else
        return false;
}

template <class Device, class Real>
kernels::ModeColumns<Real> ColumnStage<Device, Real>::mode_columns(const kernels::Tile<Real>& t,
                                                                   int first_variable) {
    return {{t, exchanges_.z_pencil(), z_pencil_slots_.data()}, column_places_.data(), first_variable};
}

// Fluxes of a row of a tile between walls in x, which are real numbers there, as complex ones.
template <class Device, class Real>
kernels::ModeValues<Real> ColumnStage<Device, Real>::widened_row(int executor, const kernels::Tile<Real>& t,
                                                                 std::int64_t r, int first_flux, int fluxes) {
    const kernels::Segment& segment = t.segment(static_cast<int>(r));
    const int l = t.plane(static_cast<int>(r)), width = 2 * executors_.workspace.columns;
    const ModeTables<Real> tables = modes_.tables();
    const kernels::RealRow<Real> reals{tables, t, segment, l};
    Value* const widened = widened_[static_cast<std::size_t>(executor)].data();
    for (int v = 0; v < fluxes; ++v)
        device::Cpu::run_row(kernels::WidenRow<Real>{
            reals.line + 2 * v * t.stride, widened + v * width,
            parities_.fluxes[static_cast<std::size_t>(first_flux + v)].imaginary, reals.length});
    return {{tables, 2 * segment.first, segment.ky, l, reals.length}, widened, width};
}

template <class Device, class Real>
kernels::Imaginary ColumnStage<Device, Real>::imaginary_of(int first_flux, int fluxes) const {
    kernels::Imaginary bits = 0;
    for (int v = 0; v < fluxes; ++v)
        if (parities_.fluxes[static_cast<std::size_t>(first_flux + v)].imaginary)
            bits |= kernels::Imaginary{1} << v;
    return bits;
}

template class ColumnStage<device::Chosen, float>;
template class ColumnStage<device::Chosen, double>;

} // namespace whorl

#include "roundtrip/columns_on_threads.hpp"

#include <algorithm>

#include "device/cpu.hpp"

namespace whorl {

template <class Device, class Real>
ColumnsOnThreads<Device, Real>::ColumnsOnThreads(const StageContext<Device, Real>& of)
    : Base(of), in_(layout_, 2), out_(layout_, 2) {}

template <class Device, class Real>
void ColumnsOnThreads<Device, Real>::make_plans(const LineChoice& choice) {
    using device::Direction;
    const Workspace& space = executors_.workspace;
    make_tiles();
    for (const device::Basis basis : in_.bases()) {
        in_[basis].clear();
        out_[basis].clear();
        in_[basis].resize(static_cast<std::size_t>(groups_of_lines(space.columns)) + 1);
        out_[basis].resize(in_[basis].size());
        for (const ColumnTile& t : tiles_) {
            const auto width = static_cast<std::size_t>(groups_of_lines(t.count));
            if (in_[basis][width]) continue;
            device::LineShape shape{layout_.nz,           static_cast<int>(width) * lines_at_once,
                                    space.tile_pitch,     1,
                                    layout_.extent_z + 1, basis};
            shape.streams = true; // to the z-pencil
            const device::LineKind kind = kind_of(choice.z, layout_.nz);
            in_[basis][width] = device_.template make_plan<Real>(kind, shape, Direction::backward);
            out_[basis][width] = device_.template make_plan<Real>(kind, shape, Direction::forward);
        }
    }
}

// A tile may have columns of several ky, so that the short rows of a sphere leave no lanes empty.
template <class Device, class Real> void ColumnsOnThreads<Device, Real>::make_tiles() {
    const int columns = executors_.workspace.columns;
    tiles_.clear();
    runs_.clear();
    for (int j = 0; j < static_cast<int>(layout_.ky.size()); ++j)
        for (int first = 0; first < layout_.column_length[static_cast<std::size_t>(j)];) {
            if (tiles_.empty() || tiles_.back().count == columns)
                tiles_.push_back({layout_.column_offset[static_cast<std::size_t>(j)] + first, 0,
                                  static_cast<int>(runs_.size()), 0});
            ColumnTile& t = tiles_.back();
            const int count =
                std::min(columns - t.count, layout_.column_length[static_cast<std::size_t>(j)] - first);
            runs_.push_back({j, first, count, t.count});
            ++t.runs;
            t.count += count;
            first += count;
        }
}

template <class Device, class Real>
kernels::Tile<Real> ColumnsOnThreads<Device, Real>::tile(int executor, std::int64_t number) {
    const ColumnTile& t = tiles_[static_cast<std::size_t>(number)];
    const std::int64_t lanes = executors_.workspace.tile_pitch;
    return {{executors_.space(executor), t.count, layout_.nz, lanes, layout_.nz * lanes, t.column},
            layout_.extent_z,
            layout_.kept_z,
            t.runs,
            runs_.data() + t.first_run};
}

// Fills with zeroes the values at kept kz that have no mode, and the lanes after the last column.
template <class Device, class Real>
void ColumnsOnThreads<Device, Real>::pad(const Tile& t, int variables) const {
    const ModeTables<Real> tables = modes_.tables();
    const int spare = lines_at_once * groups_of_lines(t.count) - t.count, of_mode = 2 / layout_.per_element;
    for (int v = 0; v < variables; ++v)
        for (int r = 0; r < t.rows(); ++r) {
            const kernels::ColumnRun& run = t.run(r);
            const int behind = &run + 1 == t.runs + t.run_count ? spare : 0;
            const int live = of_mode * t.modes(tables, r).length;
            auto* const values = reinterpret_cast<Real*>(t.values(v, r));
            std::fill(values + live, values + 2 * (run.count + behind), Real(0));
        }
}

// Sets `rows` to the rows of variable v of a tile in the z-pencil.
template <class Device, class Real>
void ColumnsOnThreads<Device, Real>::point_at(std::vector<device::LineRow<Real>>& rows, const Tile& t,
                                              int v) {
    const kernels::PencilColumns<Real> columns{exchanges_.z_pencil(), layout_.z_pencil_addresses.data(),
                                               t.first, t.count};
    for (int l = 0; l < layout_.nz; ++l) rows[static_cast<std::size_t>(l)] = columns.row(v, l);
}

template <class Device, class Real>
void ColumnsOnThreads<Device, Real>::lines_in(int executor, const Tile& t, int variables) {
    const auto scope = executors_.timed(executor, Task::z_lines);
    auto& rows = executors_.rows(executor);
    for (int v = 0; v < variables; ++v) {
        point_at(rows, t, v);
        plan_of(in_, t, parities_.input(v)).scatter(t.line(v, 0), rows.data(), executors_.scratch(executor));
    }
}

// The rows lie far apart in memory: while one variable is transformed, the next one is fetched.
template <class Device, class Real>
void ColumnsOnThreads<Device, Real>::lines_out(int executor, std::int64_t number, int variables) {
    const auto scope = executors_.timed(executor, Task::z_lines);
    const Tile t = tile(executor, number);
    auto &rows = executors_.rows(executor), &next_rows = executors_.next_rows(executor);
    const std::int64_t next_number = number + device_.executors(); // other executors take the tiles between
    const Tile following = next_number >= tiles() ? t : tile(executor, next_number);
    point_at(rows, t, 0);
    for (int v = 0; v < variables; ++v) {
        const bool last = v + 1 == variables;
        point_at(next_rows, last ? following : t, last ? 0 : v + 1);
        const device::RowsAhead<Real> next{next_rows.data(), static_cast<std::size_t>(layout_.nz)};
        plan_of(out_, t, parities_.flux(v).parity)
            .gather(rows.data(), t.line(v, 0), next, executors_.scratch(executor));
        std::swap(rows, next_rows);
    }
}

template class ColumnsOnThreads<device::Cpu, float>;
template class ColumnsOnThreads<device::Cpu, double>;

} // namespace whorl

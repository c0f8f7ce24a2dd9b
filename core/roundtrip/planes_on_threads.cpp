#include "roundtrip/planes_on_threads.hpp"

#include <algorithm>

#include "device/cpu.hpp"

namespace whorl {

// The lines are read from the y-pencil as they are transformed; while one variable is, the next is fetched.
template <class Device, class Real>
void PlanesOnThreads<Device, Real>::lines_in(int executor, const Range& z, int variables) {
    if (variables == 0) return;
    const auto scope = executors_.timed(executor, Task::y_lines);
    const kernels::PencilRows<Real> from = this->pencil_rows(z);
    const kernels::Planes<Real> planes = this->planes(executor, z);
    auto &rows = executors_.rows(executor), &next_rows = executors_.next_rows(executor);
    const auto point_at = [&](std::vector<device::LineRow<Real>>& to, int v) {
        std::fill(to.begin(), to.end(), device::LineRow<Real>{});
        for (int j = 0; j < layout_.kept_y; ++j)
            to[static_cast<std::size_t>(from.y_of(j, layout_.ny))] = from.row(v, 0, j);
    };
    point_at(rows, 0);
    // Rows are fetched in the order of memory; the transform would read one cache line of each row in turn.
    for (const device::LineRow<Real>& row : rows)
        Device::fetch(row.data, static_cast<std::size_t>(row.length) * sizeof(Value));
    for (int v = 0; v < variables; ++v) {
        const bool last = v + 1 == variables;
        if (!last) point_at(next_rows, v + 1);
        this->plan_in_of(z, v).gather(rows.data(), planes.row(v, 0, 0),
                                      last ? device::RowsAhead<Real>{} : next_rows,
                                      executors_.scratch(executor));
        std::swap(rows, next_rows);
    }
}

template <class Device, class Real>
void PlanesOnThreads<Device, Real>::lines_out(int executor, const Range& z, int variables) {
    const auto scope = executors_.timed(executor, Task::y_lines);
    const kernels::Planes<Real> planes = this->planes(executor, z);
    for (int v = 0; v < variables; ++v)
        device_.transform(executor, this->plan_out_of(z, v), planes.row(v, 0, 0),
                          executors_.scratch(executor));
}

template <class Device, class Real>
void PlanesOnThreads<Device, Real>::find_next(int executor, const Range& z, const Range& all, int variables) {
    const int plane = z.begin + device_.executors(); // other executors take the planes between
    NextPlane& next = next_[static_cast<std::size_t>(executor)];
    next = {};
    if (plane >= all.end) return;
    next.from = this->pencil_rows({plane, plane + 1});
    next.rows = 1LL * variables * layout_.kept_y;
}

template <class Device, class Real>
void PlanesOnThreads<Device, Real>::fetch_next(int executor, std::int64_t points) {
    NextPlane& next = next_[static_cast<std::size_t>(executor)];
    next.points += points;
    const std::int64_t all = 1LL * layout_.nx * layout_.ny;
    const std::int64_t wanted = next.rows * std::min(next.points, all) / all;
    for (; next.fetched < wanted; ++next.fetched) {
        const auto v = static_cast<int>(next.fetched / layout_.kept_y);
        const device::LineRow<Real> row =
            next.from.row(v, 0, static_cast<int>(next.fetched % layout_.kept_y));
        Device::fetch(row.data, static_cast<std::size_t>(row.length) * sizeof(Value));
    }
}

template class PlanesOnThreads<device::Cpu, float>;
template class PlanesOnThreads<device::Cpu, double>;

} // namespace whorl

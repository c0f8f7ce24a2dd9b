#include "roundtrip/columns_on_threads.hpp"

#include <algorithm>

#include "base/fused.hpp"
#include "device/cpu.hpp"

namespace whorl::kernels {

// a b with the same rounding in vectors and after the last whole one: the bits of a mode do not depend on how
// long its row is.
template <class Real> WHORL_INLINE Complex<Real> product(Complex<Real> a, Complex<Real> b) {
    return {fused(a.re, b.re, -(a.im * b.im)), fused(a.re, b.im, a.im * b.re)};
}

// Variables side by side, each phase computed once.
template <int count, class Real>
void shift_variables(const PlainValues<Real>& values, const ModeRow<Real>& modes, const Shift<Real>& shift,
                     Real sign) {
    const Complex<Real> of_row = shift.y[modes.j] * shift.z[modes.l];
    device::Cpu::run(modes.length, [&, x = shift.x + modes.first, data = values.data,
                                    stride = values.stride](std::int64_t i) WHORL_INSIDE {
        const Complex<Real> turn = product(of_row, x[i]), phase{turn.re, sign * turn.im};
        unrolled<count>([&](auto v) { copy(product(data[v * stride + i], phase), data[v * stride + i]); });
    });
}

template <class Real>
void shift_row(const PlainValues<Real>& values, int count, const ModeRow<Real>& modes,
               const Shift<Real>& shift, bool back) {
    const Real sign = back ? Real(-1) : Real(1);
    const auto of = [&](int first) {
        return PlainValues<Real>{values.data + first * values.stride, values.stride};
    };
    int first = 0;
    for (; first + 4 <= count; first += 4) shift_variables<4>(of(first), modes, shift, sign);
    if (count - first == 3) return shift_variables<3>(of(first), modes, shift, sign);
    if (count - first == 2) return shift_variables<2>(of(first), modes, shift, sign);
    if (count - first == 1) shift_variables<1>(of(first), modes, shift, sign);
}

template <class Real>
void put_real(const Complex<Real>* part, int count, int length, const Complex<Real>* factors,
              const PlainValues<Real>& row, int begin) {
    for (int v = 0; v < count; ++v) {
        const Complex<Real>* const from = part + v * converted_at_once;
        Real* const to = reinterpret_cast<Real*>(row.data + v * row.stride) + begin;
        device::Cpu::run(length, [&, turn = factors[v]](std::int64_t i)
                                     WHORL_INSIDE { to[i] = (turn * from[i]).re; });
    }
}

template <class Real>
void get_real(const PlainValues<Real>& row, int begin, const Complex<Real>* factors, int count, int length,
              Complex<Real>* part) {
    for (int v = 0; v < count; ++v) {
        const Real* const from = reinterpret_cast<const Real*>(row.data + v * row.stride) + begin;
        Complex<Real>* const to = part + v * converted_at_once;
        device::Cpu::run(length, [&, turn = factors[v]](std::int64_t i)
                                     WHORL_INSIDE { copy(from[i] * turn, to[i]); });
    }
}

#define WHORL_INSTANTIATE(Real)                                                                              \
    template void shift_row(const PlainValues<Real>&, int, const ModeRow<Real>&, const Shift<Real>&, bool);  \
    template void put_real(const Complex<Real>*, int, int, const Complex<Real>*, const PlainValues<Real>&,   \
                           int);                                                                             \
    template void get_real(const PlainValues<Real>&, int, const Complex<Real>*, int, int, Complex<Real>*);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl::kernels

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
            shape.past_caches = true; // to the z-pencil
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

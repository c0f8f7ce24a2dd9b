// What a round trip does between columns and planes whatever the pass. Compiled once for each device.
#include "device/chosen.hpp"
#include "device/cpu.hpp"
#include "roundtrip/roundtrip.hpp"
#include "roundtrip/wall_kernels.hpp"

namespace whorl {

template <class Device, class Real>
template <class LinesOfVariable>
void RoundTrip<Device, Real>::transform_each(int executor, int variables, Value* first, std::int64_t stride,
                                             const LinesOfVariable& lines) {
    if constexpr (Device::streams)
        if (variables > 0 && lines(0).lanes() > 0)
            return device_.transform_all(executor, lines(0), variables, first, stride);
    for (int v = 0; v < variables; ++v)
        device_.transform(executor, lines(v), first + v * stride, line_scratch(executor));
}

template <class Device, class Real>
template <bool to_buffer>
void RoundTrip<Device, Real>::move_lines(int executor, const kernels::ColumnRows<Real>& columns,
                                         const Lines& lines, int variables) {
    constexpr auto direction = to_buffer ? device::Direction::backward : device::Direction::forward;
    const device::LineShape modes{layout_.nz, 1, 1, 1, layout_.extent_z + 1};
    const kernels::ColumnLines<Real, to_buffer> ends{columns, modes.dropped()};
    device_.template transform_between<direction>(executor, lines, variables, ends);
}

template <class Device, class Real>
bool RoundTrip<Device, Real>::in_blocks(const ByBasis<std::vector<LinesOf>>& z_lines,
                                        const kernels::Tile<Real>& t, int variables) const {
    if constexpr (Device::streams)
        return layout_.per_element == 1 && z_lines_of(z_lines, t).lanes(variables) > 0;
    else
        return false;
}

template <class Device, class Real>
bool RoundTrip<Device, Real>::in_blocks(const Block& z, int products) const {
    if constexpr (Device::streams)
        return layout_.per_element == 1 && y_out_[lines_of(1, even)].at(z.size())->lanes(products) > 0;
    else
        return false;
}

template <class Device, class Real>
kernels::ModeColumns<Real> RoundTrip<Device, Real>::mode_columns(const kernels::Tile<Real>& t,
                                                                 int first_variable) {
    return {{t, exchanges_.z_pencil(), pencil_slots_.data()}, column_places_.data(), first_variable};
}

// Fluxes of a row of a tile between walls in x, which are real numbers there, as complex ones.
template <class Device, class Real>
kernels::ModeValues<Real> RoundTrip<Device, Real>::widened_row(int executor, const kernels::Tile<Real>& t,
                                                               std::int64_t r, int first_flux, int fluxes) {
    const kernels::Segment& segment = t.segment(static_cast<int>(r));
    const int l = t.plane(static_cast<int>(r)), width = 2 * workspace_.columns;
    const kernels::RealRow<Real> reals{modes(), t, segment, l};
    Value* const widened = executors_[static_cast<std::size_t>(executor)].widened.data();
    for (int v = 0; v < fluxes; ++v)
        device::Cpu::run_row(kernels::WidenRow<Real>{
            reals.line + 2 * v * t.stride, widened + v * width,
            parities_.fluxes[static_cast<std::size_t>(first_flux + v)].imaginary, reals.length});
    return {{modes(), 2 * segment.first, segment.ky, l, reals.length}, widened, width};
}

template <class Device, class Real>
void RoundTrip<Device, Real>::z_lines_in(int executor, const kernels::Tile<Real>& t, int variables) {
    Executor& own = executors_[static_cast<std::size_t>(executor)];
    const Timed scope(*this, executor, Part::z_lines);
    const kernels::ColumnRows<Real> columns{t, exchanges_.z_pencil(), pencil_slots_.data()};
    const auto lines = [&](int v) -> const Lines& {
        return z_lines_of(z_in_, t, parities_.inputs[static_cast<std::size_t>(v)]);
    };
    if constexpr (Device::streams) {
        if (!layout_.in_place && lines(0).lanes() > 0)
            return move_lines<true>(executor, columns, lines(0), variables);
        transform_each(executor, variables, t.line(0, 0), t.stride, lines);
        if (!layout_.in_place)
            device_.for_each(executor, 1LL * variables * layout_.nz,
                             kernels::MoveColumns<Real, true>{columns});
    } else {
        for (int v = 0; v < variables; ++v) {
            for (int l = 0; l < layout_.nz; ++l) own.rows[static_cast<std::size_t>(l)] = columns.row(v, l);
            lines(v).scatter(t.line(v, 0), own.rows.data(), line_scratch(executor));
        }
    }
}

// The columns lie far apart in memory: while one variable's are transformed the next one's are fetched.
template <class Device, class Real>
void RoundTrip<Device, Real>::z_lines_out(int executor, std::int64_t item, int variables) {
    Executor& own = executors_[static_cast<std::size_t>(executor)];
    const Timed scope(*this, executor, Part::z_lines);
    const kernels::Tile<Real> t = tile(executor, item);
    const auto lines_at = [&](int v) -> const Lines& {
        return z_lines_of(z_out_, t, parities_.fluxes[static_cast<std::size_t>(v)].parity);
    };
    if constexpr (Device::streams) {
        const kernels::ColumnRows<Real> columns{t, exchanges_.z_pencil(), pencil_slots_.data()};
        if (!layout_.in_place) {
            if (lines_at(0).lanes() > 0) return move_lines<false>(executor, columns, lines_at(0), variables);
            device_.for_each(executor, 1LL * variables * layout_.nz,
                             kernels::MoveColumns<Real, false>{columns});
        }
        transform_each(executor, variables, t.line(0, 0), t.stride, lines_at);
    } else {
        // The others take those between.
        const std::int64_t next_item = item + device_.executors();
        const bool last = next_item >= static_cast<std::int64_t>(tiles_.size());
        const kernels::Tile<Real> following = last ? t : tile(executor, next_item);
        const auto point_at = [&](std::vector<device::LineRow<Real>>& rows, const kernels::Tile<Real>& of,
                                  int v) {
            const kernels::ColumnRows<Real> columns{of, exchanges_.z_pencil(), pencil_slots_.data()};
            for (int l = 0; l < layout_.nz; ++l) rows[static_cast<std::size_t>(l)] = columns.row(v, l);
        };
        point_at(own.rows, t, 0);
        for (int v = 0; v < variables; ++v) {
            point_at(own.next_rows, v + 1 < variables ? t : following, v + 1 < variables ? v + 1 : 0);
            const device::RowsAhead<Real> next{own.next_rows.data(), static_cast<std::size_t>(layout_.nz)};
            lines_at(v).gather(own.rows.data(), t.line(v, 0), next, line_scratch(executor));
            std::swap(own.rows, own.next_rows);
        }
    }
}

template <class Device, class Real>
kernels::Spread<Real> RoundTrip<Device, Real>::spread_of(int executor, const Block& z) {
    return {planes(executor, z), exchanges_.y_pencil(), slots_of(z),       column_rows_.data(),
            layout_.extent_y,    layout_.kept_y,        layout_.grid.p_col};
}

template <class Device, class Real>
void RoundTrip<Device, Real>::find_next_plane(int executor, const Block& z, const Block& all, int variables) {
    NextPlane& next = executors_[static_cast<std::size_t>(executor)].next_plane;
    const int plane = z.begin + device_.executors(); // the others take those between
    const std::int64_t rows = plane < all.end ? 1LL * variables * layout_.kept_y : 0;
    next = {rows > 0 ? spread_of(executor, {plane, plane + 1}) : kernels::Spread<Real>{}, rows, 0, 0};
}

template <class Device, class Real>
void RoundTrip<Device, Real>::fetch_next_plane(int executor, std::int64_t points) {
    NextPlane& next = executors_[static_cast<std::size_t>(executor)].next_plane;
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
void RoundTrip<Device, Real>::y_lines_in(int executor, const Block& z, int variables) {
    const kernels::Planes<Real> p = planes(executor, z);
    const kernels::Spread<Real> spread = spread_of(executor, z);
    if constexpr (Device::streams)
        if (const Lines& lines = *y_in_[lines_of(1, even)].at(z.size()); lines.lanes() > 0) {
            const Timed scope(*this, executor, Part::y_lines);
            const kernels::SpreadLines<Real> ends{spread};
            return device_.template transform_between<device::Direction::backward>(
                executor, lines, 1LL * variables * z.size(), ends);
        }
    const auto lines_at = [&](int v) -> const Lines& {
        return *y_in_[lines_of(1, parities_.inputs[static_cast<std::size_t>(v)])].at(z.size());
    };
    if constexpr (Device::streams) {
        {
            const Timed scope(*this, executor, Part::pack);
            const std::int64_t rows = 1LL * variables * z.size() * layout_.kept_y;
            device_.for_each(executor, rows, spread);
            device_.for_each(executor, rows, kernels::SpreadPadding<Real>{spread});
        }
        const Timed scope(*this, executor, Part::y_lines);
        transform_each(executor, variables, p.row(0, 0, 0), p.stride, lines_at);
    } else {
        const Timed scope(*this, executor, Part::y_lines);
        gather_plane(executor, spread, variables, lines_at);
    }
}

// One plane, whose lines are read from the column buffer as they are transformed; while one variable's are,
// the next one's are fetched.
template <class Device, class Real>
template <class LinesOfVariable>
void RoundTrip<Device, Real>::gather_plane(int executor, const kernels::Spread<Real>& spread, int variables,
                                           const LinesOfVariable& lines) {
    Executor& own = executors_[static_cast<std::size_t>(executor)];
    const auto point_at = [&](std::vector<device::LineRow<Real>>& rows, int v) {
        std::fill(rows.begin(), rows.end(), device::LineRow<Real>{});
        for (int j = 0; j < layout_.kept_y; ++j) {
            const auto row = spread.row(1LL * v * layout_.kept_y + j);
            const int y = wrapped(signed_index(j, layout_.extent_y), layout_.ny);
            rows[static_cast<std::size_t>(y)] = {const_cast<Value*>(row.from), row.length};
        }
    };
    if (variables > 0) point_at(own.rows, 0);
    // In the order of memory: lane by lane the rows would come one cache line after the other from
    // everywhere.
    for (const device::LineRow<Real>& row : own.rows)
        Device::fetch(row.data, static_cast<std::size_t>(row.length) * sizeof(Value));
    for (int v = 0; v < variables; ++v) {
        const bool last = v + 1 == variables;
        if (!last) point_at(own.next_rows, v + 1);
        lines(v).gather(own.rows.data(), spread.planes.row(v, 0, 0),
                        last ? device::RowsAhead<Real>{} : own.next_rows, line_scratch(executor));
        std::swap(own.rows, own.next_rows);
    }
}

template <class Device, class Real>
void RoundTrip<Device, Real>::y_lines_out(int executor, const Block& z, int variables) {
    const Timed scope(*this, executor, Part::y_lines);
    const kernels::Planes<Real> p = planes(executor, z);
    transform_each(executor, variables, p.row(0, 0, 0), p.stride, [&](int v) -> const Lines& {
        return *y_out_[lines_of(1, parities_.products[static_cast<std::size_t>(v)])].at(z.size());
    });
}

template <class Device, class Real>
template <bool to_buffer>
void RoundTrip<Device, Real>::move_rows(int executor, const Block& z, int b, int variables) {
    const Timed scope(*this, executor, Part::pack);
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

template class RoundTrip<device::Chosen, float>;
template class RoundTrip<device::Chosen, double>;

template void RoundTrip<device::Chosen, float>::move_rows<true>(int, const Block&, int, int);
template void RoundTrip<device::Chosen, float>::move_rows<false>(int, const Block&, int, int);
template void RoundTrip<device::Chosen, double>::move_rows<true>(int, const Block&, int, int);
template void RoundTrip<device::Chosen, double>::move_rows<false>(int, const Block&, int, int);

} // namespace whorl

#include "roundtrip/roundtrip.hpp"

#include <cmath>
#include <numbers>

namespace whorl {

std::int64_t table_bytes(const Layout& layout, std::int64_t value) {
    const std::int64_t of_x = layout.per_element * layout.elements.size();
    const auto own_ky = static_cast<std::int64_t>(layout.ky.size());
    const std::int64_t shifts = of_x + own_ky + layout.nz;
    const std::int64_t wavenumbers = shifts + layout.kept_y;
    return shifts * value + wavenumbers * value / 2 +
           static_cast<std::int64_t>(sizeof(Row)) * own_ky * layout.nz +
           static_cast<std::int64_t>((layout.plane_slots.size() + layout.pencil_slots.size()) *
                                     sizeof(PlaneSlot)) +
           static_cast<std::int64_t>(layout.column_rows.size() * sizeof(ColumnRow));
}

template <class Real> Workspace workspace_of(const Layout& layout, device::LineKind lines) {
    const std::int64_t scratch = device::Lines<Real>::scratch(std::max(layout.ny, layout.nz));
    if (lines != device::LineKind::automatic) return Workspace(layout, scratch);
    const device::RowLines<Real> rows(layout.nx, layout.kept_x, layout.per_element == 2);
    const std::int64_t block = rows.workspace(layout.column_variables, layout.row_variables);
    return Workspace(layout, scratch, rows.rows, block);
}

template <class Real>
RoundTrip<Real>::RoundTrip(const Box& box, const Truncation& truncation, const RoundTripOptions& options,
                           const exchange::Communicator& world, const device::Cpu& device)
    : pencils_(box, truncation, options.grid),
      layout_(box, truncation, pencils_, world.rank(), options.batches, options.column_variables,
              options.row_variables, exchange::traits_of(options.transport)),
      table_(box, truncation, pencils_, layout_.row_index, layout_.column_index), device_(device),
      world_(world), row_(world.split(layout_.column_index)), column_(world.split(layout_.row_index)),
      wire_value_(options.transport.wire == "single" ? sizeof(Complex<float>) : sizeof(Value)),
      make_transport_(exchange::transport_maker(options.transport)),
      watchdog_(options.exchange_timeout, world.rank()),
      workspace_(workspace_of<Real>(layout_, options.lines)),
      scale_(1.0 / (static_cast<double>(box.total_points()) * (1 << kernels::axes_in(box.wall_mask())))) {
    make_tables(box, truncation);
    make_lines(options.lines);
    make_buffers(exchange::traits_of(options.transport).shared);
}

template <class Real> void RoundTrip<Real>::make_tables(const Box& box, const Truncation& truncation) {
    const auto fill = [&](device::Buffer<Real>& table, int axis, const std::vector<int>& numbers) {
        table = device::Buffer<Real>(numbers.size());
        for (std::size_t i = 0; i < numbers.size(); ++i)
            table.data()[i] = static_cast<Real>(numbers[i] * box.unit(axis));
    };
    std::vector<int> all_y;
    for (int j = 0; j < layout_.kept_y; ++j) all_y.push_back(signed_index(j, truncation.extent(1)));
    // Of whole elements: the last may have one more than is kept.
    for (int i = 0; i < layout_.per_element * layout_.elements.size(); ++i)
        numbers_[0].push_back(layout_.kx.at(i));
    for (const int j : layout_.ky) numbers_[1].push_back(all_y[static_cast<std::size_t>(j)]);
    for (int l = 0; l < layout_.nz; ++l) numbers_[2].push_back(line_number(l, layout_.nz, box.wall(2)));
    fill(kx_, 0, numbers_[0]);
    fill(ky_, 1, numbers_[1]);
    fill(kz_, 2, numbers_[2]);
    fill(all_ky_, 1, all_y);
    shift_x_ = device::Buffer<Value>(numbers_[0].size());
    shift_y_ = device::Buffer<Value>(numbers_[1].size());
    shift_z_ = device::Buffer<Value>(numbers_[2].size());

    make_tiles();
}

// Whole tiles of columns whatever ky they belong to: short rows of a sphere waste no lanes.
template <class Real> void RoundTrip<Real>::make_tiles() {
    for (int j = 0; j < static_cast<int>(layout_.ky.size()); ++j)
        for (int first = 0; first < layout_.column_length[static_cast<std::size_t>(j)];) {
            if (tiles_.empty() || tiles_.back().count == workspace_.lanes)
                tiles_.push_back({layout_.column_offset[static_cast<std::size_t>(j)] + first, 0, {}});
            ColumnTile& t = tiles_.back();
            const int count = std::min(workspace_.lanes - t.count,
                                       layout_.column_length[static_cast<std::size_t>(j)] - first);
            t.segments.push_back({j, first, count, t.count});
            t.count += count;
            first += count;
        }
}

// Coefficients of sines are as the state has them where they are complex, and real where they are real.
template <class Real> device::Basis RoundTrip<Real>::basis_of(int axis, int parity) const {
    if (!(layout_.walls >> axis & 1)) return device::Basis::fourier;
    if (!(parity >> axis & 1)) return device::Basis::cosine;
    return layout_.per_element == 2 ? device::Basis::sine : device::Basis::odd;
}

template <class Real> std::vector<device::Basis> RoundTrip<Real>::bases(int axis) const {
    if (!(layout_.walls >> axis & 1)) return {device::Basis::fourier};
    return {basis_of(axis, 0), basis_of(axis, 1 << axis)};
}

template <class Real> std::size_t RoundTrip<Real>::lines_of(int axis, int parity) const {
    return static_cast<std::size_t>(basis_of(axis, parity));
}

template <class Real> void RoundTrip<Real>::make_lines(device::LineKind kind) {
    using device::Direction;
    // A line of one point is its own transform: nothing is faster than the direct sum.
    const auto make = [&](device::LineShape shape, Direction direction) {
        return device::Lines<Real>::make(shape.n == 1 ? device::LineKind::direct : kind, shape, direction);
    };
    for (const device::Basis basis : bases(2)) {
        const auto b = static_cast<std::size_t>(basis);
        z_in_[b].resize(workspace_.lanes / lane_step + 1);
        z_out_[b].resize(workspace_.lanes / lane_step + 1);
        for (const ColumnTile& t : tiles_) {
            const auto width = static_cast<std::size_t>(tile_width(t.count));
            if (z_in_[b][width]) continue;
            const device::LineShape shape{layout_.nz,           static_cast<int>(width) * lane_step,
                                          workspace_.lanes,     1,
                                          layout_.extent_z + 1, basis};
            z_in_[b][width] = make(shape, Direction::backward);
            z_out_[b][width] = make(shape, Direction::forward);
        }
    }
    const int width = tile_width(layout_.elements.size()) * lane_step;
    for (const device::Basis basis : bases(1)) {
        const auto b = static_cast<std::size_t>(basis);
        const device::LineShape along_y{layout_.ny, width, workspace_.pitch, 1, layout_.extent_y + 1, basis};
        y_in_[b] = make(along_y, Direction::backward);
        y_out_[b] = make(along_y, Direction::forward);
    }
    make_x_lines(kind);
}

template <class Real> void RoundTrip<Real>::make_x_lines(device::LineKind kind) {
    if (kind == device::LineKind::automatic) {
        row_lines_ =
            std::make_unique<device::RowLines<Real>>(layout_.nx, layout_.kept_x, layout_.per_element == 2);
        return;
    }
    const int all_pairs = (layout_.y.size() + 1) / 2;
    const std::array<int, 2> block_pairs{workspace_.pairs, all_pairs % workspace_.pairs};
    for (const device::Basis basis : bases(0))
        for (std::size_t i = 0; i < 2; ++i) {
            if (block_pairs[i] == 0) continue;
            device::LineShape along_x{layout_.nx, block_pairs[i], 1, workspace_.line_pitch};
            along_x.basis = basis;
            if (basis != device::Basis::fourier) along_x.kept = layout_.kept_x;
            const auto b = static_cast<std::size_t>(basis);
            x_in_[b][i] = device::Lines<Real>::make(kind, along_x, device::Direction::backward);
            x_out_[b][i] = device::Lines<Real>::make(kind, along_x, device::Direction::forward);
        }
}

template <class Real> void RoundTrip<Real>::make_buffers(bool shared) {
    const auto make = [&](std::int64_t size, int peers) {
        return exchange::Landing<Value>(world_, static_cast<std::size_t>(size), shared && peers > 1);
    };
    const auto& [p_row, p_col] = layout_.grid;
    pencil_buffer_ = make(layout_.pencil_size, p_col);
    if (p_col > 1) plane_buffer_ = make(layout_.plane_size, p_col);
    row_y_buffer_ = make(layout_.row_y_size, p_row);
    row_x_buffer_ = make(layout_.row_x_size, p_row);
    executors_.resize(static_cast<std::size_t>(device_.executors()));
    for (Executor& executor : executors_) {
        executor.workspace = device::Buffer<Value>(static_cast<std::size_t>(workspace_.size()));
        for (auto* rows : {&executor.rows, &executor.next_rows})
            rows->resize(static_cast<std::size_t>(std::max(layout_.ny, layout_.nz)));
        executor.pieces.resize(static_cast<std::size_t>(layout_.grid.p_row));
    }
    maxima_.resize(executors_.size());
}

template <class Real> ModeTables<Real> RoundTrip<Real>::modes() const {
    return {kx_.data(),
            ky_.data(),
            kz_.data(),
            table_.rows().data(),
            layout_.nz,
            layout_.row_index == 0,
            (layout_.walls & 2) != 0,
            (layout_.walls & 4) != 0,
            layout_.per_element - 1};
}

template <class Real> void RoundTrip<Real>::shift(std::array<double, 3> cells) {
    shifted_ = cells[0] != 0.0 || cells[1] != 0.0 || cells[2] != 0.0;
    const std::array<int, 3> points{layout_.nx, layout_.ny, layout_.nz};
    const std::array<Value*, 3> tables{shift_x_.data(), shift_y_.data(), shift_z_.data()};
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t i = 0; i < numbers_[axis].size(); ++i) {
            const double phase = 2.0 * std::numbers::pi * numbers_[axis][i] * cells[axis] / points[axis];
            tables[axis][i] = {static_cast<Real>(std::cos(phase)), static_cast<Real>(std::sin(phase))};
        }
}

template <class Real> kernels::Shift<Real> RoundTrip<Real>::shift_tables() const {
    return {shift_x_.data(), shift_y_.data(), shift_z_.data()};
}

template <class Real> kernels::Tile<Real> RoundTrip<Real>::tile(int executor, std::int64_t item) {
    const ColumnTile& t = tiles_[static_cast<std::size_t>(item)];
    return {executors_[static_cast<std::size_t>(executor)].workspace.data(),
            t.count,
            workspace_.lanes,
            layout_.nz,
            layout_.extent_z,
            layout_.kept_z,
            static_cast<std::int64_t>(layout_.nz) * workspace_.lanes,
            t.column};
}

template <class Real> kernels::Plane<Real> RoundTrip<Real>::plane(int executor) {
    return {executors_[static_cast<std::size_t>(executor)].workspace.data(), layout_.ny,
            layout_.elements.size(), workspace_.pitch,
            static_cast<std::int64_t>(layout_.ny) * workspace_.pitch};
}

template <class Real>
kernels::LineBlock<Real> RoundTrip<Real>::line_block(int executor, bool out, int y0, int rows) {
    Value* const lines = executors_[static_cast<std::size_t>(executor)].workspace.data() + workspace_.plane;
    return {lines + (out ? workspace_.lines_in : 0),
            layout_.nx,
            workspace_.line_pitch,
            workspace_.pairs,
            y0,
            rows};
}

template <class Real>
const kernels::RowPiece<Real>* RoundTrip<Real>::row_pieces(int executor, int plane_index, int b) {
    auto& pieces = executors_[static_cast<std::size_t>(executor)].pieces;
    for (int r = 0; r < layout_.grid.p_row; ++r) {
        const Dealt elements = layout_.peer_elements(r);
        const RowSlot slot = layout_.row_x_slot(r, plane_index, b);
        pieces[static_cast<std::size_t>(r)] = {row_x_buffer_.data() + slot.base, slot.stride, slot.pitch,
                                               elements, elements.size()};
    }
    return pieces.data();
}

template <class Real>
void RoundTrip<Real>::z_lines_in(int executor, const kernels::Tile<Real>& t, int variables) {
    Executor& own = executors_[static_cast<std::size_t>(executor)];
    Timers::Scope scope(own.timers, Part::z_lines);
    const kernels::ColumnRows<Real> columns{t, pencil_buffer_.data(), layout_.pencil_slots.data()};
    for (int v = 0; v < variables; ++v) {
        for (int l = 0; l < layout_.nz; ++l) own.rows[static_cast<std::size_t>(l)] = columns.row(v, l);
        const auto& lines = z_in_[lines_of(2, parities_.inputs[static_cast<std::size_t>(v)])];
        lines[static_cast<std::size_t>(tile_width(t.count))]->scatter(t.line(v, 0), own.rows.data(),
                                                                      line_scratch(executor));
    }
}

// The columns lie far apart in memory: while one variable's are transformed the next one's are fetched.
template <class Real> void RoundTrip<Real>::z_lines_out(int executor, std::int64_t item, int variables) {
    Executor& own = executors_[static_cast<std::size_t>(executor)];
    Timers::Scope scope(own.timers, Part::z_lines);
    const kernels::Tile<Real> t = tile(executor, item);
    const bool last = item + 1 == static_cast<std::int64_t>(tiles_.size());
    const kernels::Tile<Real> following = last ? t : tile(executor, item + 1);
    const auto point_at = [&](std::vector<device::LineRow<Real>>& rows, const kernels::Tile<Real>& of,
                              int v) {
        const kernels::ColumnRows<Real> columns{of, pencil_buffer_.data(), layout_.pencil_slots.data()};
        for (int l = 0; l < layout_.nz; ++l) rows[static_cast<std::size_t>(l)] = columns.row(v, l);
    };
    point_at(own.rows, t, 0);
    for (int v = 0; v < variables; ++v) {
        point_at(own.next_rows, v + 1 < variables ? t : following, v + 1 < variables ? v + 1 : 0);
        const auto& lines = z_out_[lines_of(2, parities_.fluxes[static_cast<std::size_t>(v)])];
        lines[static_cast<std::size_t>(tile_width(t.count))]->gather(
            own.rows.data(), t.line(v, 0), own.next_rows.data(), line_scratch(executor));
        std::swap(own.rows, own.next_rows);
    }
}

template <class Real> void RoundTrip<Real>::y_lines_in(int executor, int z, int variables) {
    Timers& timers = executors_[static_cast<std::size_t>(executor)].timers;
    const kernels::Plane<Real> p = plane(executor);
    {
        Timers::Scope scope(timers, Part::pack);
        const kernels::Spread<Real> spread{
            p, plane_data(), slots_of(z), layout_.column_rows.data(), layout_.extent_y, layout_.kept_y};
        device::Cpu::for_each(1LL * variables * layout_.kept_y, spread);
        device::Cpu::for_each(1LL * variables * layout_.kept_y, kernels::SpreadPadding<Real>{spread});
    }
    Timers::Scope scope(timers, Part::y_lines);
    for (int v = 0; v < variables; ++v)
        y_in_[lines_of(1, parities_.inputs[static_cast<std::size_t>(v)])]->execute(p.row(v, 0),
                                                                                   line_scratch(executor));
}

template <class Real>
template <bool to_buffer>
void RoundTrip<Real>::move_rows(int executor, int plane_index, int b, int variables) {
    Timers::Scope scope(executors_[static_cast<std::size_t>(executor)].timers, Part::pack);
    const kernels::Plane<Real> p = plane(executor);
    for (int r = 0; r < layout_.grid.p_row; ++r) {
        const Block rows = layout_.peer_y_block(r);
        const RowSlot slot = layout_.row_y_slot(r, plane_index, b);
        device::Cpu::for_each(
            static_cast<std::int64_t>(variables) * rows.size(),
            kernels::MoveRows<Real, to_buffer>{p, row_y_buffer_.data() + slot.base, slot.stride, rows});
    }
}

template <class Real> std::map<std::string, std::int64_t> RoundTrip<Real>::memory() const {
    std::size_t workspace = 0;
    for (const Executor& executor : executors_) workspace += executor.workspace.bytes();
    return {{"exchange", static_cast<std::int64_t>(pencil_buffer_.bytes() + plane_buffer_.bytes())},
            {"row_buffers", static_cast<std::int64_t>(row_y_buffer_.bytes() + row_x_buffer_.bytes())},
            {"workspace", static_cast<std::int64_t>(workspace)},
            {"tables", table_bytes(layout_, sizeof(Value))}};
}

template <class Real> std::map<std::string, double> RoundTrip<Real>::timings() const {
    Timers sum;
    for (const Executor& executor : executors_) sum.add(executor.timers);
    std::map<std::string, double> seconds;
    const double executors = static_cast<double>(executors_.size());
    double known = 0.0;
    for (const Part part :
         {Part::x_lines, Part::y_lines, Part::z_lines, Part::pack, Part::point, Part::modes}) {
        const double value = sum.seconds(part) / executors;
        seconds[part_names[static_cast<std::size_t>(part)]] = value;
        known += value;
    }
    seconds["transforms"] = seconds["x_lines"] + seconds["y_lines"] + seconds["z_lines"];
    seconds["row"] = exchange_timer_.seconds(Part::row);
    seconds["column"] = exchange_timer_.seconds(Part::column);
    seconds["exchange"] = seconds["row"] + seconds["column"];
    seconds["total"] = exchange_timer_.seconds(Part::total);
    seconds["other"] = seconds["total"] - seconds["exchange"] - known;
    return seconds;
}

template <class Real> void RoundTrip<Real>::time(bool enabled) {
    exchange_timer_.reset();
    exchange_timer_.enabled = enabled;
    moved_ = messages_ = {};
    for (Executor& executor : executors_) {
        executor.timers.reset();
        executor.timers.enabled = enabled;
    }
}

template Workspace workspace_of<float>(const Layout&, device::LineKind);
template Workspace workspace_of<double>(const Layout&, device::LineKind);
template class RoundTrip<float>;
template class RoundTrip<double>;

template void RoundTrip<float>::move_rows<true>(int, int, int, int);
template void RoundTrip<float>::move_rows<false>(int, int, int, int);
template void RoundTrip<double>::move_rows<true>(int, int, int, int);
template void RoundTrip<double>::move_rows<false>(int, int, int, int);

} // namespace whorl

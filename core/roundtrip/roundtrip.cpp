// Compiled once for each device.
#include "roundtrip/roundtrip.hpp"

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/maximum.hpp"
#include "device/chosen.hpp"
#include "roundtrip/line_trials.hpp"

namespace whorl {

template <class Device, class Real>
RoundTrip<Device, Real>::RoundTrip(const Box& box, const Truncation& truncation,
                                   const RoundTripOptions& options, const exchange::Communicator& world,
                                   Device& device)
    : pencils_(box, truncation, options.grid),
      layout_(box, truncation, pencils_, world.rank(), options.batches, options.column_variables,
              options.row_variables, exchange::traits_of(options.exchange.transport), Device::streams),
      table_(box, truncation, pencils_, layout_.row_index, layout_.column_index), device_(device),
      world_(world), exchanges_(layout_, options.exchange, world, device, failure_), options_(options),
      lines_(options.lines), workspace_(workspace_of<Device, Real>(device, layout_, options)),
      scale_(1.0 / (static_cast<double>(box.total_points()) * (1 << box.walled_axes()))),
      executors_(static_cast<std::size_t>(device.executors())), maxima_(executors_.size()) {
    make_tables(box, truncation);
    if constexpr (Device::streams)
        take_lines(options.lines);
    else
        take_lines(LineTrials<Device, Real>(*this).fastest());
    shift({0.0, 0.0, 0.0});
}

template <class Device, class Real> void RoundTrip<Device, Real>::take_lines(const LineChoice& choice) {
    options_.lines = lines_ = choice;
    workspace_ = workspace_of<Device, Real>(device_, layout_, options_);
    if constexpr (!Device::streams) lines_.columns = workspace_.columns;
    make_tiles();
    segment_table_ = Table<kernels::Segment>(segments_);
    make_lines();
    make_workspaces();
}

template <class Device, class Real>
void RoundTrip<Device, Real>::make_tables(const Box& box, const Truncation& truncation) {
    std::array<std::vector<int>, 3> numbers;
    std::vector<int> all_y;
    for (int j = 0; j < layout_.kept_y; ++j) all_y.push_back(signed_index(j, truncation.extent(1)));
    // Of whole elements: the last may have one more than is kept.
    for (int i = 0; i < layout_.per_element * layout_.elements.size(); ++i)
        numbers[0].push_back(layout_.kx.at(i));
    for (const int j : layout_.ky) numbers[1].push_back(all_y[static_cast<std::size_t>(j)]);
    for (int l = 0; l < layout_.nz; ++l) numbers[2].push_back(line_number(l, layout_.nz, box.wall(2)));

    const auto wavenumbers = [&](int axis, const std::vector<int>& of) {
        std::vector<Real> values;
        for (const int n : of) values.push_back(static_cast<Real>(n * box.unit(axis)));
        return device::copied<Real, Memory>(values);
    };
    kx_ = wavenumbers(0, numbers[0]);
    ky_ = wavenumbers(1, numbers[1]);
    kz_ = wavenumbers(2, numbers[2]);
    all_ky_ = wavenumbers(1, all_y);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        numbers_[axis] = device::copied<int, Memory>(numbers[axis]);
        shift_[axis] = Buffer<Value>(numbers[axis].size());
    }
    rows_ = Table<Row>(table_.rows());
    pencil_slots_ = Table<PlaneSlot>(layout_.pencil_slots);
    plane_slots_ = Table<PlaneSlot>(layout_.plane_slots);
    column_rows_ = Table<ColumnRow>(layout_.column_rows);
    if constexpr (Device::streams) {
        std::vector<ColumnPlace> places(static_cast<std::size_t>(layout_.columns));
        for (std::size_t j = 0; j < layout_.ky.size(); ++j)
            for (int i = 0; i < layout_.column_length[j]; ++i)
                places[static_cast<std::size_t>(layout_.column_offset[j] + i)] = {static_cast<int>(j), i};
        column_places_ = device::copied<ColumnPlace, Memory>(places);
    }
}

// Whole tiles of columns whatever ky they belong to: short rows of a sphere waste no lanes.
template <class Device, class Real> void RoundTrip<Device, Real>::make_tiles() {
    tiles_.clear();
    segments_.clear();
    for (int j = 0; j < static_cast<int>(layout_.ky.size()); ++j)
        for (int first = 0; first < layout_.column_length[static_cast<std::size_t>(j)];) {
            if (tiles_.empty() || tiles_.back().count == workspace_.columns)
                tiles_.push_back({layout_.column_offset[static_cast<std::size_t>(j)] + first, 0,
                                  static_cast<int>(segments_.size()), 0});
            ColumnTile& t = tiles_.back();
            const int count = std::min(workspace_.columns - t.count,
                                       layout_.column_length[static_cast<std::size_t>(j)] - first);
            segments_.push_back({j, first, count, t.count});
            ++t.segments;
            t.count += count;
            first += count;
        }
}

// Coefficients of sines are as the state has them where they are complex, and real where they are real.
template <class Device, class Real>
device::Basis RoundTrip<Device, Real>::basis_of(int axis, Parity parity) const {
    if (!layout_.walls[static_cast<std::size_t>(axis)]) return device::Basis::fourier;
    if (!parity.odd(axis)) return device::Basis::cosine;
    return layout_.per_element == 2 ? device::Basis::sine : device::Basis::odd;
}

template <class Device, class Real>
std::vector<device::Basis> RoundTrip<Device, Real>::bases(int axis) const {
    if (!layout_.walls[static_cast<std::size_t>(axis)]) return {device::Basis::fourier};
    return {basis_of(axis, even), basis_of(axis, {true, true, true})};
}

template <class Device, class Real>
std::size_t RoundTrip<Device, Real>::lines_of(int axis, Parity parity) const {
    return static_cast<std::size_t>(basis_of(axis, parity));
}

template <class Device, class Real> void RoundTrip<Device, Real>::make_lines() {
    using device::Direction;
    // A line of one point is its own transform: nothing is faster than the direct sum.
    const auto make = [&](device::LineKind kind, device::LineShape shape, Direction direction) {
        return device_.template make_lines<Real>(shape.n == 1 ? device::LineKind::direct : kind, shape,
                                                 direction);
    };
    const std::int64_t lanes = layout_.in_place && Device::streams ? layout_.columns : workspace_.lanes;
    for (const device::Basis basis : bases(2)) {
        const auto b = static_cast<std::size_t>(basis);
        z_in_[b].clear();
        z_out_[b].clear();
        z_in_[b].resize(static_cast<std::size_t>(tile_width(workspace_.columns)) + 1);
        z_out_[b].resize(z_in_[b].size());
        for (const ColumnTile& t : tiles_) {
            const auto width = static_cast<std::size_t>(tile_width(t.count));
            if (z_in_[b][width]) continue;
            device::LineShape shape{
                layout_.nz, static_cast<int>(width) * lane_step, lanes, 1, layout_.extent_z + 1, basis};
            shape.streams = true; // to the column buffer
            z_in_[b][width] = make(lines_.z, shape, Direction::backward);
            z_out_[b][width] = make(lines_.z, shape, Direction::forward);
        }
    }
    for (const int count : group_sizes())
        for (const device::Basis basis : bases(1)) {
            const auto b = static_cast<std::size_t>(basis);
            const int width =
                (count - 1) * workspace_.pitch + tile_width(layout_.elements.size()) * lane_step;
            const device::LineShape along_y{layout_.ny,           width, 1LL * count * workspace_.pitch, 1,
                                            layout_.extent_y + 1, basis};
            y_in_[b][count] = make(lines_.y, along_y, Direction::backward);
            y_out_[b][count] = make(lines_.y, along_y, Direction::forward);
        }
    row_lines_.reset();
    if (workspace_.block_pairs > 0)
        row_tables_ = std::make_unique<device::LineTables<Memory, Real>>(layout_.nx);
    else if (lines_.x == device::LineKind::own && !Device::streams)
        row_lines_ =
            std::make_unique<device::RowLines<Real>>(layout_.nx, layout_.kept_x, layout_.per_element == 2);
    else
        make_x_lines();
}

// How many planes an executor may have in hand.
template <class Device, class Real> std::set<int> RoundTrip<Device, Real>::group_sizes() const {
    std::set<int> sizes;
    for (int b = 0; b < layout_.batches; ++b)
        for (const Block& all : {layout_.planes(b), layout_.point_planes(b)})
            for (int i = 0; i < groups(all); ++i) sizes.insert(group(all, i).size());
    return sizes;
}

template <class Device, class Real> void RoundTrip<Device, Real>::make_x_lines() {
    std::set<int> pairs;
    for (const int count : group_sizes()) {
        const int own = layout_.y.size(), planes = workspace_.planes > 1 ? count : 1;
        for (int y = 0; y < own * planes; y += workspace_.rows)
            pairs.insert(planes * ((std::min(workspace_.rows / planes, own - y) + 1) / 2));
    }
    for (const device::Basis basis : bases(0))
        for (const int count : pairs) {
            device::LineShape along_x{layout_.nx, count, 1, workspace_.line_pitch};
            along_x.basis = basis;
            if (basis != device::Basis::fourier) along_x.kept = layout_.kept_x;
            const auto b = static_cast<std::size_t>(basis);
            x_in_[b][count] =
                device_.template make_lines<Real>(lines_.x, along_x, device::Direction::backward);
            x_out_[b][count] =
                device_.template make_lines<Real>(lines_.x, along_x, device::Direction::forward);
        }
}

template <class Device, class Real> void RoundTrip<Device, Real>::make_workspaces() {
    for (Executor& executor : executors_) {
        executor.workspace = Buffer<Value>(); // given back before the next is taken
        executor.workspace = Buffer<Value>(static_cast<std::size_t>(workspace_.size()), device_.executors());
        for (auto* rows : {&executor.rows, &executor.next_rows})
            rows->resize(static_cast<std::size_t>(std::max(layout_.ny, layout_.nz)));
        executor.pieces.resize(static_cast<std::size_t>(layout_.grid.p_row));
        if (layout_.per_element == 2 && !Device::streams)
            executor.widened.resize(
                static_cast<std::size_t>(layout_.column_variables * 2 * workspace_.columns));
    }
}

template <class Device, class Real> ModeTables<Real> RoundTrip<Device, Real>::modes() const {
    return {kx_.data(),       ky_.data(),       kz_.data(),
            rows_.data(),     layout_.nz,       layout_.row_index == 0,
            layout_.walls[1], layout_.walls[2], layout_.per_element - 1};
}

template <class Device, class Real> void RoundTrip<Device, Real>::shift(std::array<double, 3> cells) {
    shifted_ = cells[0] != 0.0 || cells[1] != 0.0 || cells[2] != 0.0;
    const std::array<int, 3> points{layout_.nx, layout_.ny, layout_.nz};
    for (std::size_t axis = 0; axis < 3; ++axis)
        device_.for_each(0, 1,
                         kernels::Phases<Real>{numbers_[axis].data(), shift_[axis].data(), cells[axis],
                                               points[axis], static_cast<int>(numbers_[axis].size())});
}

template <class Device, class Real> kernels::Shift<Real> RoundTrip<Device, Real>::shift_tables() const {
    return {shift_[0].data(), shift_[1].data(), shift_[2].data()};
}

template <class Device, class Real>
kernels::Tile<Real> RoundTrip<Device, Real>::tile(int executor, std::int64_t item) {
    const ColumnTile& t = tiles_[static_cast<std::size_t>(item)];
    const bool in_place = Device::streams && layout_.in_place;
    const std::int64_t lanes = in_place ? layout_.columns : workspace_.lanes;
    return {in_place ? exchanges_.z_pencil() + t.column
                     : executors_[static_cast<std::size_t>(executor)].workspace.data(),
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
kernels::Planes<Real> RoundTrip<Device, Real>::planes(int executor, const Block& z) {
    const std::int64_t of_variable = 1LL * layout_.ny * z.size() * workspace_.pitch;
    return {executors_[static_cast<std::size_t>(executor)].workspace.data(),
            layout_.ny,
            z.size(),
            layout_.elements.size(),
            workspace_.pitch,
            of_variable};
}

template <class Device, class Real>
kernels::LineBlock<Real> RoundTrip<Device, Real>::line_block(int executor, bool out,
                                                             const kernels::RowPairs& rows) {
    Value* const lines = executors_[static_cast<std::size_t>(executor)].workspace.data() + workspace_.plane;
    return {lines + (out ? workspace_.lines_in : 0), layout_.nx, workspace_.line_pitch, workspace_.pairs,
            rows};
}

template <class Device, class Real>
const kernels::RowPiece<Real>* RoundTrip<Device, Real>::row_pieces(int executor, int plane_index, int b) {
    auto& pieces = executors_[static_cast<std::size_t>(executor)].pieces;
    for (int r = 0; r < layout_.grid.p_row; ++r) {
        const Dealt elements = layout_.peer_elements(r);
        const RowSlot slot = layout_.row_x_slot(r, plane_index, b);
        pieces[static_cast<std::size_t>(r)] = {exchanges_.row_x() + slot.base, slot.stride, slot.pitch,
                                               elements, elements.size()};
    }
    return pieces.data();
}

template <class Device, class Real>
std::map<std::string, std::int64_t> RoundTrip<Device, Real>::memory() const {
    std::size_t workspace = 0;
    for (const Executor& executor : executors_) workspace += executor.workspace.bytes();
    std::map<std::string, std::int64_t> bytes = exchanges_.memory();
    bytes["workspace"] = static_cast<std::int64_t>(workspace);
    bytes["tables"] = table_bytes(layout_, sizeof(Value), Device::streams);
    if constexpr (Device::streams)
        if (device_.bytes() > 0) bytes["library"] = device_.bytes();
    return bytes;
}

template <class Device, class Real> std::map<std::string, double> RoundTrip<Device, Real>::timings() const {
    device_.finish();
    Timers sum;
    for (const Executor& executor : executors_) sum.add(executor.timers);
    std::map<std::string, double> seconds;
    // With streams one scope is over before the next begins.
    const double executors = Device::streams ? 1.0 : static_cast<double>(executors_.size());
    double known = 0.0;
    for (const Part part :
         {Part::x_lines, Part::y_lines, Part::z_lines, Part::pack, Part::point, Part::modes}) {
        const double value = sum.seconds(part) / executors;
        seconds[part_names[static_cast<std::size_t>(part)]] = value;
        known += value;
    }
    seconds["transforms"] = seconds["x_lines"] + seconds["y_lines"] + seconds["z_lines"];
    const Timers& timer = exchanges_.timer();
    seconds["row"] = timer.seconds(Part::row);
    seconds["column"] = timer.seconds(Part::column);
    seconds["exchange"] = seconds["row"] + seconds["column"];
    seconds["total"] = timer.seconds(Part::total);
    seconds["other"] = seconds["total"] - seconds["exchange"] - known;
    return seconds;
}

template <class Device, class Real> void RoundTrip<Device, Real>::time(bool enabled) {
    exchanges_.reset(enabled);
    for (Executor& executor : executors_) {
        executor.timers.reset();
        executor.timers.enabled = enabled;
    }
}

template <class Device, class Real>
std::array<double, 2> RoundTrip<Device, Real>::reduce_maxima(bool wanted) {
    std::array<double, 2> largest{0.0, 0.0};
    if (!wanted) return largest;
    if constexpr (Device::streams) maxima_.front() = device_.raised();
    const double spoilt = std::numeric_limits<double>::quiet_NaN();
    for (const auto& of_executor : maxima_)
        for (std::size_t m = 0; m < 2; ++m)
            largest[m] = larger(largest[m], std::isfinite(of_executor[m]) ? of_executor[m] : spoilt);
    {
        const exchange::Watchdog::Scope watched(exchanges_.watchdog(), "reduction behind the exchange",
                                                layout_.batches - 1);
        world_.maximum(largest);
    }
    return std::isnan(larger(largest[0], largest[1])) ? std::array{spoilt, spoilt} : largest;
}

template class RoundTrip<device::Chosen, float>;
template class RoundTrip<device::Chosen, double>;

} // namespace whorl

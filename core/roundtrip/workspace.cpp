#include "roundtrip/workspace.hpp"

#include <algorithm>

#include "device/block_plan.hpp"
#include "device/compiled.hpp"
#include "device/row_plan.hpp"

namespace whorl {

namespace {
// Rows a multiple of 64 numbers apart would fall on few sets of the caches.
int padded_pitch(int width) {
    constexpr int step = Workspace::alignment;
    const int pitch = (width + step - 1) / step * step;
    return pitch % (8 * step) == 0 ? pitch + step : pitch;
}
constexpr int columns_at_once = 8, widest_tile = 88; // columns
constexpr std::int64_t shortest_row = 640; // bytes of a tile's row that memory transfers efficiently
std::int64_t whole_lines(std::int64_t values) {
    return (values + Workspace::alignment - 1) / Workspace::alignment * Workspace::alignment;
}
constexpr int most_pairs = 4; // 4 lines of 8 variables stay in the inner caches
} // namespace

namespace {
// The widest tile of at most `columns` columns that has an odd number of `columns_at_once`: with an even one
// its lines would share fewer sets of the first cache.
int tile_within(std::int64_t columns) {
    const auto steps = std::clamp<std::int64_t>(columns, columns_at_once, widest_tile) / columns_at_once;
    return static_cast<int>((steps - 1) / 2 * 2 + 1) * columns_at_once;
}
} // namespace

int tile_columns(const Layout& layout, std::int64_t value_bytes, std::int64_t second_cache) {
    const std::int64_t of_cache = second_cache / (value_bytes * layout.column_variables * layout.nz);
    return tile_within(std::max(of_cache, shortest_row / value_bytes));
}

int narrower_tile(int columns) { return tile_within(columns / 2 + columns_at_once); }

Workspace::Workspace(const Layout& layout, int of_tile, std::int64_t of_lines)
    : columns(of_tile), tile_pitch(columns), pitch(padded_pitch(layout.elements.size())),
      line_pitch(padded_pitch(layout.nx + 1)), pairs(std::min(most_pairs, (layout.y.size() + 1) / 2)),
      rows(2 * pairs), tile(1LL * layout.column_variables * layout.nz * tile_pitch),
      plane(1LL * layout.row_variables * layout.ny * pitch),
      lines_in(1LL * layout.column_variables * pairs * line_pitch),
      lines_out(1LL * layout.row_variables * pairs * line_pitch),
      block(std::max(lines_in + lines_out, std::int64_t{1} * layout.column_variables * pitch)),
      scratch_begin(whole_lines(std::max(tile, plane + block))), scratch(of_lines) {}

void Workspace::take_blocks(const Layout& layout, int of_rows, std::int64_t of_block) {
    rows = of_rows;
    block = std::max(of_block, std::int64_t{1} * layout.column_variables * pitch);
    scratch_begin = whole_lines(std::max(tile, plane + block));
}

namespace {
// Enough points to occupy the threads of a block, and no more than a plane has.
int pairs_of_block(const Layout& layout, const Workspace::Stream& stream) {
    constexpr int points = 1024;
    const bool own = stream.lines == device::LineKind::own && layout.per_element == 1;
    if (!own || layout.grid.p_row > Workspace::most_shares) return 0;
    const std::int64_t of_pair =
        stream.value * layout.row_variables * device::LinesBehind::pitch_of(layout.nx);
    const int wanted =
        std::min(stream.pairs > 0 ? stream.pairs : points / layout.nx, (layout.y.size() + 1) / 2);
    return static_cast<int>(std::min<std::int64_t>(std::max(wanted, 1), stream.block_memory / of_pair));
}
// Lines between walls are folded in scratch memory.
std::int64_t fold_scratch(const Layout& layout, const Workspace& work) {
    const auto folded = [&](std::size_t axis, std::int64_t values) {
        return layout.walls[axis] ? values : 0;
    };
    return std::max({folded(0, 1LL * layout.nx * work.pairs),
                     folded(1, 1LL * layout.ny * work.planes * work.pitch),
                     folded(2, layout.nz * whole_lines(work.columns))});
}
} // namespace

// If rows are exchanged, planes and x lines are never in use together and share their memory.
Workspace Workspace::of_stream(const Layout& layout, const Stream& stream) {
    constexpr int most_columns = 8192;
    const bool together = layout.grid.p_row == 1;
    const std::int64_t room = (stream.bytes > 0 ? stream.bytes : most_of_stream) / stream.value;
    Workspace work(layout, widest_tile, 0);
    work.block_pairs = pairs_of_block(layout, stream);
    const std::int64_t of_plane = 1LL * layout.row_variables * layout.ny * work.pitch,
                       of_pair = work.block_pairs > 0 ? 0 : 1LL * layout.row_variables * work.line_pitch,
                       of_rows = of_pair * ((layout.y.size() + 1) / 2);
    const std::int64_t in_hand = together ? of_plane + of_rows : std::max(of_plane, of_rows);
    const std::int64_t fitting =
        stream.planes > 0 ? stream.planes : room / std::max<std::int64_t>(in_hand, 1);
    // Each stream gets planes of every batch.
    const int of_batch = (layout.largest_batch() + device::stream_count - 1) / device::stream_count;
    work.planes = static_cast<int>(std::clamp<std::int64_t>(fitting, 1, std::max(of_batch, 1)));
    work.rows = work.planes * layout.y.size();
    if (!together && work.planes == 1 && of_pair > 0)
        work.rows = static_cast<int>(std::min<std::int64_t>(work.rows, 2 * (room / of_pair + 1)));
    work.pairs = work.planes > 1 ? work.planes * ((layout.y.size() + 1) / 2) : (work.rows + 1) / 2;
    work.lines_in = 0;
    work.lines_out = work.block = of_pair * work.pairs;
    const std::int64_t of_planes = of_plane * work.planes;
    work.plane = together ? of_planes : 0;
    work.scratch_begin = std::max(of_planes, work.plane + work.block);

    const auto own_columns = static_cast<int>(std::min<std::int64_t>(layout.columns, most_columns));
    const std::int64_t of_column = 1LL * layout.column_variables * layout.nz;
    const std::int64_t columns =
        layout.in_place ? own_columns : work.scratch_begin / of_column / alignment * alignment;
    work.columns = work.tile_pitch =
        static_cast<int>(std::clamp<std::int64_t>(columns, alignment, std::max(own_columns, alignment)));
    work.tile = layout.in_place ? 0 : of_column * work.tile_pitch;
    work.scratch_begin = whole_lines(std::max(work.tile, work.scratch_begin));
    work.scratch = fold_scratch(layout, work);
    return work;
}

std::int64_t Workspace::size() const { return scratch_begin + scratch; }

template <class Real>
Workspace workspace_of_thread(const Layout& layout, const LineChoice& lines, std::int64_t second_cache) {
    const std::int64_t scratch = device::LinePlan<Real>::scratch(std::max(layout.ny, layout.nz));
    const int columns =
        lines.columns > 0 ? lines.columns : tile_columns(layout, sizeof(Complex<Real>), second_cache);
    Workspace work(layout, columns, scratch);
    if (lines.x != device::LineKind::own) return work;
    const device::RowPlan<Real> rows(layout.nx, layout.kept_x, layout.per_element == 2);
    work.take_blocks(layout, rows.rows, rows.workspace(layout.column_variables, layout.row_variables));
    return work;
}

template Workspace workspace_of_thread<float>(const Layout&, const LineChoice&, std::int64_t);
template Workspace workspace_of_thread<double>(const Layout&, const LineChoice&, std::int64_t);

} // namespace whorl

#include "roundtrip/workspace.hpp"

#include <algorithm>

namespace whorl {

namespace {
// Rows of a power of two fall on the same cache sets: keep clear of them.
int padded_pitch(int width) {
    constexpr int step = Workspace::alignment;
    const int pitch = (width + step - 1) / step * step;
    return pitch % (8 * step) == 0 ? pitch + step : pitch;
}
// Wide tiles read long runs of the state and of the column buffer, until they leave the second cache (2 MiB).
int tile_lanes(const Layout& layout) {
    constexpr int narrowest = 16, widest = 96, most_values = 1 << 17;
    const int lanes = most_values / (layout.column_variables * layout.nz);
    return std::clamp(lanes / narrowest * narrowest, narrowest, widest);
}
std::int64_t whole_lines(std::int64_t values) {
    return (values + Workspace::alignment - 1) / Workspace::alignment * Workspace::alignment;
}
constexpr int most_pairs = 4; // 8 variables of 4 lines stay in the inner caches
} // namespace

Workspace::Workspace(const Layout& layout, std::int64_t of_lines)
    : lanes(tile_lanes(layout)), pitch(padded_pitch(layout.elements.size())),
      line_pitch(padded_pitch(layout.nx + 1)), pairs(std::min(most_pairs, (layout.y.size() + 1) / 2)),
      rows(2 * pairs), tile(1LL * layout.column_variables * layout.nz * lanes),
      plane(1LL * layout.row_variables * layout.ny * pitch),
      lines_in(1LL * layout.column_variables * pairs * line_pitch),
      lines_out(1LL * layout.row_variables * pairs * line_pitch),
      block(std::max(lines_in + lines_out, std::int64_t{1} * layout.column_variables * pitch)),
      lent(whole_lines(std::max(tile, plane + block))), scratch(of_lines) {}

Workspace::Workspace(const Layout& layout, std::int64_t of_lines, int rows_of_block, std::int64_t of_block)
    : Workspace(layout, of_lines) {
    rows = rows_of_block;
    block = std::max(of_block, std::int64_t{1} * layout.column_variables * pitch);
    lent = whole_lines(std::max(tile, plane + block));
}

std::int64_t Workspace::size() const { return lent + scratch; }

} // namespace whorl

#include "roundtrip/layout.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace whorl {

namespace {
std::size_t at(int i) { return static_cast<std::size_t>(i); }
} // namespace

// Columns of a plane are padded to whole cache lines in either precision. A z line crosses the planes: if
// these were an even number of eights apart, it would fall on few sets of the caches. So eight columns are
// added where that is less than a hundredth.
std::int64_t padded_columns(std::int64_t columns) {
    constexpr std::int64_t step = 8, many = 100;
    const std::int64_t steps = (columns + step - 1) / step;
    return (steps > many ? steps | 1 : steps) * step;
}

Layout::Layout(const Box& box, const Truncation& truncation, const Pencils& pencils, int rank,
               int batch_count, int column_variable_count, int row_variable_count,
               const exchange::Traits& transport, bool side_by_side)
    : grid(pencils.grid()), row_index(rank % grid.p_row), column_index(rank / grid.p_row), nx(box.points[0]),
      ny(box.points[1]), nz(box.points[2]), walls(box.walls), per_element(box.wall(0) ? 2 : 1),
      z(pencils.z(column_index)), y(pencils.y(row_index)), point_z(pencils.point_z(row_index, column_index)),
      ky(pencils.ky(row_index, column_index)), elements(pencils.elements(row_index)),
      kx(pencils.kx(row_index)), kept_x(truncation.extent(0) + 1), kept_y(truncation.count(1)),
      kept_z(truncation.count(2)), kept_elements(pencils.kept_elements()), extent_y(truncation.extent(1)),
      extent_z(truncation.extent(2)), batches(batch_count),
      in_place(transport.strided || (side_by_side && grid.p_col == 1)),
      row_batches(transport.blocks ? 1 : std::min(batches, most_row_batches)),
      column_variables(column_variable_count), row_variables(row_variable_count),
      strided_(transport.strided) {
    for (int c = 0; c < grid.p_col; ++c) peer_z_.push_back(pencils.z(c));
    elements_before_.push_back(0);
    for (int r = 0; r < grid.p_row; ++r) {
        peer_y_.push_back(pencils.y(r));
        if (pencils.flat_y()) peer_point_z_.push_back(pencils.point_z(r, column_index));
        peer_elements_.push_back(pencils.elements(r));
        elements_before_.push_back(elements_before_.back() + peer_elements_.back().size());
    }
    lay_out_columns(pencils);
    in_place ? lay_out_planes_apart() : lay_out_planes();
    if (grid.p_row > 1) {
        row_y_size = row_batches * row_y_offset(grid.p_row, largest_batch());
        row_x_size = row_batches * row_x_offset(grid.p_row, largest_point_batch());
    }
    WHORL_REQUIRE(ny > 1 || grid.p_row == 1 || batches == 1,
                  "where y has one point, ranks share planes, so there is one batch, not " +
                      std::to_string(batches) + ".");
}

void Layout::lay_out_columns(const Pencils& pencils) {
    columns = 0;
    for (const int j : ky) {
        column_offset.push_back(columns);
        column_length.push_back(pencils.column_length(row_index, j));
        columns += column_length.back();
    }
    columns = padded_columns(columns);
    column_rows.resize(at(kept_y));
    for (int c = 0; c < grid.p_col; ++c) {
        std::int64_t offset = 0;
        for (const int j : pencils.ky(row_index, c)) {
            column_rows[at(j)] = {c, pencils.column_length(row_index, j), offset};
            offset += column_rows[at(j)].length;
        }
        peer_columns_.push_back(padded_columns(offset));
        all_columns_ += peer_columns_.back();
    }
}

void Layout::lay_out_planes() {
    z_pencil_addresses.resize(at(nz));
    y_pencil_addresses.resize(at(z.size()) * at(grid.p_col));
    for (int b = 0; b < batches; ++b) {
        auto& z_pencil_chunk = z_pencil_chunks_.emplace_back();
        auto& y_pencil_chunk = y_pencil_chunks_.emplace_back();
        for (int c = 0; c < grid.p_col; ++c) {
            z_pencil_chunk.push_back(z_pencil_size);
            const Range theirs = planes(c, b);
            for (int l = theirs.begin; l < theirs.end; ++l)
                z_pencil_addresses[at(l)] = {z_pencil_size + (l - theirs.begin) * columns,
                                             theirs.size() * columns};
            z_pencil_size += theirs.size() * columns * column_variables;

            y_pencil_chunk.push_back(y_pencil_size);
            const Range mine = planes(b);
            const std::int64_t theirs_columns = peer_columns_[at(c)];
            for (int l = mine.begin; l < mine.end; ++l)
                y_pencil_addresses[at(l - z.begin) * at(grid.p_col) + at(c)] = {
                    y_pencil_size + (l - mine.begin) * theirs_columns, mine.size() * theirs_columns};
            y_pencil_size += mine.size() * theirs_columns * column_variables;
        }
    }
}

void Layout::lay_out_planes_apart() {
    for (int l = 0; l < nz; ++l) z_pencil_addresses.push_back({l * columns, nz * columns});
    z_pencil_size = nz * columns * column_variables;
    for (int l = 0; l < z.size(); ++l) {
        std::int64_t before = 0;
        for (int c = 0; c < grid.p_col; ++c) {
            y_pencil_addresses.push_back({l * all_columns_ + before, z.size() * all_columns_});
            before += peer_columns_[at(c)];
        }
    }
    y_pencil_size = z.size() * all_columns_ * column_variables;
}

Range Layout::planes(int c, int batch) const {
    const Range block = peer_z_[at(c)];
    const Range part = even_range(block.size(), batches, batch);
    return {block.begin + part.begin, block.begin + part.end};
}

int Layout::largest_batch() const {
    int largest = 0;
    for (int b = 0; b < batches; ++b) largest = std::max(largest, planes(b).size());
    return largest;
}

int Layout::largest_point_batch() const {
    int largest = 0;
    for (int b = 0; b < batches; ++b) largest = std::max(largest, point_planes(b).size());
    return largest;
}

Range Layout::planes_of(int r, const Range& of) const {
    if (peer_point_z_.empty()) return of;
    const Range theirs = peer_point_z_[at(r)];
    const int begin = std::clamp(theirs.begin, of.begin, of.end);
    return {begin, std::clamp(theirs.end, begin, of.end)};
}

std::int64_t Layout::rows_before(int r, int plane_count) const {
    if (peer_point_z_.empty()) return 1LL * plane_count * (r == grid.p_row ? ny : peer_y_[at(r)].begin);
    return (r == grid.p_row ? z.end : peer_point_z_[at(r)].begin) - z.begin;
}

std::int64_t Layout::row_y_offset(int r, int plane_count) const {
    return row_variables * rows_before(r, plane_count) * elements.size();
}

std::int64_t Layout::row_x_offset(int r, int plane_count) const {
    return static_cast<std::int64_t>(row_variables) * plane_count * y.size() * elements_before_[at(r)];
}

RowAddress Layout::row_y_address(int r, int index, int batch) const {
    const Range rows = peer_y_[at(r)];
    const int plane_count = planes(batch).size();
    const std::int64_t width = elements.size(), begin = batch % row_batches * (row_y_size / row_batches);
    if (!strided_)
        return {begin + row_y_offset(r, plane_count) + index * rows.size() * width,
                rows_of(r, plane_count) * width, width};
    const std::int64_t row =
        peer_point_z_.empty() ? 1LL * index * ny + rows.begin : rows_before(r, plane_count) + index;
    return {begin + row * width, 1LL * plane_count * ny * width, width};
}

RowAddress Layout::row_x_address(int r, int index, int batch) const {
    const int plane_count = point_planes(batch).size();
    const std::int64_t width = strided_ ? kept_elements : peer_elements_[at(r)].size(),
                       plane = y.size() * width;
    const std::int64_t begin = batch % row_batches * (row_x_size / row_batches);
    const std::int64_t base = strided_ ? elements_before_[at(r)] : row_x_offset(r, plane_count);
    return {begin + base + index * plane, plane_count * plane, width};
}

exchange::Chunk Layout::z_pencil_chunk(int batch, int c, int variables) const {
    const Range theirs = planes(c, batch);
    const std::int64_t size = theirs.size() * columns;
    if (strided_) return {theirs.begin * columns, size, 1, size, variables, nz * columns};
    return exchange::packed_chunk(z_pencil_chunks_[at(batch)][at(c)], size, variables);
}

exchange::Chunk Layout::y_pencil_chunk(int batch, int c, int variables) const {
    const Range mine = planes(batch);
    const std::int64_t theirs = peer_columns_[at(c)];
    if (!strided_)
        return exchange::packed_chunk(y_pencil_chunks_[at(batch)][at(c)], mine.size() * theirs, variables);
    std::int64_t before = 0;
    for (int peer = 0; peer < c; ++peer) before += peer_columns_[at(peer)];
    return {(mine.begin - z.begin) * all_columns_ + before,
            theirs,
            mine.size(),
            all_columns_,
            variables,
            z.size() * all_columns_};
}

// A contiguous range has the peer's rows of one plane, or all its planes where y is flat.
exchange::Chunk Layout::row_y_chunk(int batch, int r, int variables) const {
    const int plane_count = planes(batch).size(), ranges = peer_point_z_.empty() ? plane_count : 1;
    const RowAddress address = row_y_address(r, 0, batch);
    const std::int64_t rows = rows_of(r, plane_count), of_range = rows / std::max(ranges, 1);
    return {address.base, of_range * elements.size(),
            ranges,       address.stride / std::max(ranges, 1),
            variables,    address.stride};
}

exchange::Chunk Layout::row_x_chunk(int batch, int r, int variables) const {
    const RowAddress address = row_x_address(r, 0, batch);
    return {address.base,
            peer_elements_[at(r)].size(),
            1LL * point_planes(batch).size() * y.size(),
            address.pitch,
            variables,
            address.stride};
}

std::vector<exchange::Pattern> Layout::column_patterns(int variables, bool inwards) const {
    std::vector<exchange::Pattern> patterns;
    for (int b = 0; b < batches; ++b) {
        exchange::Pattern& pattern = patterns.emplace_back();
        for (int c = 0; c < grid.p_col; ++c) {
            const exchange::Chunk pencil = z_pencil_chunk(b, c, variables),
                                  plane = y_pencil_chunk(b, c, variables);
            pattern.send.push_back(inwards ? pencil : plane);
            pattern.receive.push_back(inwards ? plane : pencil);
        }
    }
    return patterns;
}

std::vector<exchange::Pattern> Layout::row_patterns(int variables, bool inwards) const {
    std::vector<exchange::Pattern> patterns;
    for (int b = 0; b < batches; ++b) {
        exchange::Pattern& pattern = patterns.emplace_back();
        for (int r = 0; r < grid.p_row; ++r) {
            const exchange::Chunk in_y = row_y_chunk(b, r, variables), in_x = row_x_chunk(b, r, variables);
            pattern.send.push_back(inwards ? in_y : in_x);
            pattern.receive.push_back(inwards ? in_x : in_y);
        }
    }
    return patterns;
}

std::int64_t table_bytes(const Layout& layout, std::int64_t value, bool streams) {
    const std::int64_t of_x = layout.per_element * layout.elements.size();
    const auto own_ky = static_cast<std::int64_t>(layout.ky.size());
    const std::int64_t shifts = of_x + own_ky + layout.nz;
    const std::int64_t wavenumbers = shifts + layout.kept_y;
    return shifts * (value + static_cast<std::int64_t>(sizeof(int))) + wavenumbers * value / 2 +
           static_cast<std::int64_t>(sizeof(Row)) * own_ky * layout.nz +
           static_cast<std::int64_t>((layout.y_pencil_addresses.size() + layout.z_pencil_addresses.size()) *
                                     sizeof(PlaneAddress)) +
           static_cast<std::int64_t>(layout.column_rows.size() * sizeof(ColumnRow)) +
           (streams ? layout.columns * static_cast<std::int64_t>(sizeof(ColumnIndex)) : 0);
}

} // namespace whorl

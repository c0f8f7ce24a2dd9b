// The layout of a rank's data between modes and points: integers only.
//
//   pencils          chunk (batch, peer) holds [variable][plane][kept column]
//   row buffers      chunk (batch in flight, peer) holds [variable][plane][row of y][element]
// If y is flat (one point), the chunks of row peers have different planes, not different rows of every
// plane, and one batch has all planes.
// If a transport sends strided chunks, the data are not packed by peers: the buffers hold
//
//   z-pencil         [variable][z][kept column]
//   y-pencil         [variable][plane][kept column of all peers]
//   row buffers      [batch in flight][variable][plane][y][element], all y or all elements by row peers
//
// A device that transforms z lines side by side has the first of these also where p_col = 1.
//
// A direction with fewer variables uses the first ones, so that both directions share a buffer and messages
// are contiguous. Elements are the complex numbers of a row along x (grid/pencils.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "exchange/pattern.hpp"
#include "grid/row_table.hpp"

namespace whorl {

// Column q of variable v of a plane is at base + v * stride + q.
struct PlaneAddress {
    std::int64_t base, stride;
};

// Row i of variable v of a plane is at base + v * stride + i * pitch.
struct RowAddress {
    std::int64_t base, stride, pitch;
};

// The kept elements of one ky in the y-pencil: their column peer, their number, their offset in its columns.
struct ColumnRow {
    std::int32_t peer, length;
    std::int64_t offset;
};

// The ky of a column, counted among the rank's own, and its element in a row.
struct ColumnIndex {
    std::int32_t ky, element;
};

// The columns of a plane in a buffer, for `columns` kept ones.
std::int64_t padded_columns(std::int64_t columns);
// Batches in the row buffers at most: one on its way to the points, one at the points, one on its way back.
inline constexpr int most_row_batches = 3;

class Layout {
  public:
    Layout(const Box& box, const Truncation& truncation, const Pencils& pencils, int rank, int batches,
           int column_variables, int row_variables, const exchange::Traits& transport, bool side_by_side);

    ProcessGrid grid;
    int row_index, column_index; // r and c of this rank
    int nx, ny, nz;
    std::array<bool, 3> walls; // along x, y, z
    int per_element;           // number of kx in an element
    Range z, y;
    Range point_z;       // planes of the x-pencil
    std::vector<int> ky; // own ky, as indices among the kept
    Dealt elements, kx;
    int kept_x, kept_y, kept_z; // kept kx of the whole box; kept ky and kz, of both signs
    int kept_elements;
    int extent_y, extent_z;
    int batches;
    bool in_place;   // z lines can be transformed in the z-pencil
    int row_batches; // in the row buffers at a time: 1 where the transport blocks, else at most 3
    int column_variables, row_variables;
    std::int64_t columns;                    // kept columns of this rank's z-pencil, in whole cache lines
    std::vector<std::int64_t> column_offset; // [own ky] first column
    std::vector<std::int32_t> column_length; // [own ky]
    std::vector<ColumnRow> column_rows;      // [kept ky] of the y-pencil
    std::vector<PlaneAddress> z_pencil_addresses;      // [z] in the z-pencil's buffer
    std::vector<PlaneAddress> y_pencil_addresses;      // [own z][column peer] in the y-pencil's buffer
    std::int64_t z_pencil_size = 0, y_pencil_size = 0; // in complex numbers
    std::int64_t row_y_size = 0, row_x_size = 0;       // of the two row buffers

    // Own planes of batch b, and those of column peer c.
    Range planes(int batch) const { return planes(column_index, batch); }
    Range planes(int c, int batch) const;
    int largest_batch() const;
    int largest_point_batch() const;
    // Own planes of batch b in the x-pencil, and the planes among `planes` of which row peer r has rows.
    Range point_planes(int batch) const { return planes_of(row_index, planes(batch)); }
    Range planes_of(int r, const Range& planes) const;
    Dealt peer_elements(int r) const { return peer_elements_[static_cast<std::size_t>(r)]; }
    Range peer_y(int r) const { return peer_y_[static_cast<std::size_t>(r)]; }
    // Addresses of row peer r's rows of y in the index-th of its planes of a batch, and of r's share of own
    // rows in the index-th own plane of a batch.
    RowAddress row_y_address(int r, int index, int batch) const;
    RowAddress row_x_address(int r, int index, int batch) const;

    // Patterns of the exchanges of `variables` variables; inwards is towards the points.
    std::vector<exchange::Pattern> column_patterns(int variables, bool inwards) const;
    std::vector<exchange::Pattern> row_patterns(int variables, bool inwards) const;

  private:
    void lay_out_columns(const Pencils& pencils);
    void lay_out_planes();
    void lay_out_planes_apart();
    // Rows that the row peers before r, and r, have of a batch's planes; then offsets of r's chunks in the
    // row buffers.
    std::int64_t rows_before(int r, int planes) const;
    std::int64_t rows_of(int r, int planes) const {
        return rows_before(r + 1, planes) - rows_before(r, planes);
    }
    std::int64_t row_y_offset(int r, int planes) const;
    std::int64_t row_x_offset(int r, int planes) const;
    exchange::Chunk z_pencil_chunk(int batch, int c, int variables) const;
    exchange::Chunk y_pencil_chunk(int batch, int c, int variables) const;
    exchange::Chunk row_y_chunk(int batch, int r, int variables) const;
    exchange::Chunk row_x_chunk(int batch, int r, int variables) const;
    bool strided_;                 // the transport takes strided chunks
    std::int64_t all_columns_ = 0; // of all column peers
    std::vector<Range> peer_z_, peer_y_;
    std::vector<Range> peer_point_z_; // where y is flat
    std::vector<Dealt> peer_elements_;
    std::vector<int>
        elements_before_; // [row peer, and the end] in a row that holds the shares of all peers in order
    std::vector<std::int64_t> peer_columns_;
    std::vector<std::vector<std::int64_t>> z_pencil_chunks_, y_pencil_chunks_; // [batch][peer]
};

// Bytes of look-up tables when a complex number takes `value` bytes.
std::int64_t table_bytes(const Layout& layout, std::int64_t value, bool streams);

} // namespace whorl

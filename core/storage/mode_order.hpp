// The order of modes in a checkpoint, which does not depend on the ranks:
//
//   kx = 0, 1, ...; then ky = 0, ..., K, -K, ..., -1; then kz = 0, ..., Z, -Z, ..., -1
//
// (no negative ones along an axis with walls), where K is the largest kept ky and Z the largest kept kz of
// the column (kx, ky). A block of ky at one kx is contiguous.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grid/row_table.hpp"

namespace whorl::storage {

// All pairs of some kx, in increasing order, and some signed ky: those of a rank, for example.
struct Columns {
    std::vector<int> kx, ky;
};
Columns columns_of(const Truncation& truncation, const RowTable& table);

class ModeOrder {
  public:
    // The columns in a file of some truncation, which may not have all of them.
    ModeOrder(const Truncation& of_file, Columns columns);

    std::int64_t total() const { return total_; }                      // kept modes of the box
    int width() const { return static_cast<int>(columns_.kx.size()); } // own kx and ky
    int height() const { return static_cast<int>(columns_.ky.size()); }
    const Columns& columns() const { return columns_; }

    // Position in the file of the first mode of own column (i, j), and number of modes; both 0 if the file
    // does not have the column.
    std::int64_t begin(int i, int j) const { return begin_[at(i, j)]; }
    std::int64_t column(int i, int j) const { return count_[at(i, j)]; }
    // Number of modes of own kx i.
    std::int64_t modes(int i) const {
        std::int64_t sum = 0;
        for (int j = 0; j < height(); ++j) sum += column(i, j);
        return sum;
    }

  private:
    std::size_t at(int i, int j) const {
        return static_cast<std::size_t>(i) * static_cast<std::size_t>(height()) + static_cast<std::size_t>(j);
    }
    Columns columns_;
    std::int64_t total_ = 0;
    std::vector<std::int64_t> begin_;
    std::vector<std::int32_t> count_;
};

// The part of a rank's modes, in the order of a checkpoint, that is staged at a time: some kx.

// Columns (kx, ky) of the kx from `begin` to `end`, kx after kx: the position of each in the staging area,
// and its number of modes.
struct Slice {
    int begin = 0, end = 0;
    std::int64_t modes = 0;
    std::vector<std::int64_t> staged;
    std::vector<std::int32_t> counts;
};

// Each slice has as many kx as fit, at least one.
std::vector<Slice> slices_of(const ModeOrder& order, std::size_t bytes_per_mode);

std::int64_t largest_of(const std::vector<Slice>& slices);

// A place among the modes of a file of the data.
struct Place {
    int file = -1;
    std::int64_t begin = 0;
    bool operator==(const Place&) const = default;
};

// The place of the first mode of each column of an order, which has modes in one or several files.
class ModePlaces {
  public:
    // In one file of all modes.
    explicit ModePlaces(const ModeOrder& order);
    // One column after another in one file, from `begin` on.
    ModePlaces(const ModeOrder& order, Place begin);

    Place& at(int i, int j) { return places_[static_cast<std::size_t>(i * height_ + j)]; }
    const Place& at(int i, int j) const { return places_[static_cast<std::size_t>(i * height_ + j)]; }

  private:
    int height_;
    std::vector<Place> places_;
};

// Calls transfer(place of the first mode, number of modes, position in the staging area) for each contiguous
// run of a slice.
template <class Transfer>
void each_run(const ModeOrder& order, const ModePlaces& places, const Slice& slice,
              const Transfer& transfer) {
    const int height = order.height();
    for (int i = slice.begin; i < slice.end; ++i)
        for (int j = 0; j < height;) {
            const Place begin = places.at(i, j);
            const std::int64_t staged =
                slice.staged[static_cast<std::size_t>((i - slice.begin) * height + j)];
            std::int64_t count = 0;
            const auto goes_on = [&] { return places.at(i, j) == Place{begin.file, begin.begin + count}; };
            while (j < height && (order.column(i, j) == 0 || goes_on())) count += order.column(i, j++);
            if (count > 0) transfer(begin, count, staged);
        }
}

} // namespace whorl::storage

// The order of modes in a checkpoint, which does not depend on the ranks:
//
//   kx = 0, 1, ...; then ky = 0, ..., K, -K, ..., -1; then kz = 0, ..., Z, -Z, ..., -1
//
// (no negative ones along an axis with walls), where K is the largest kept ky and Z the largest kept kz of
// the column (kx, ky). A block of ky at one kx is contiguous.
#pragma once

#include <cstdint>
#include <vector>

#include "grid/row_table.hpp"

namespace whorl::storage {

class ModeOrder {
  public:
    ModeOrder(const Truncation& truncation, const RowTable& table);
    // The columns (kx, ky), with signed ky, in a file of another truncation, which may not have all of them.
    ModeOrder(const Truncation& of_file, const Dealt& kx, std::vector<int> ky);

    std::int64_t total() const { return total_; } // kept modes of the box
    int width() const { return kx_.size(); }      // own kx and ky
    int height() const { return static_cast<int>(ky_.size()); }

    const std::vector<int>& ky() const { return ky_; } // signed

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
    Dealt kx_;
    std::vector<int> ky_;
    std::int64_t total_ = 0;
    std::vector<std::int64_t> begin_;
    std::vector<std::int32_t> count_;
};

} // namespace whorl::storage

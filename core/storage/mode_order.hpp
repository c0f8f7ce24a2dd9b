// The order of modes in a checkpoint, the same whatever the ranks:
//
//   kx = 0, 1, ...; then ky = 0, ..., K, -K, ..., -1; then kz = 0, ..., Z, -Z, ..., -1
//
// (no negative ones along an axis with walls) with K the largest kept ky and Z that of the column (kx, ky): a
// block of ky of one kx is contiguous.
#pragma once

#include <cstdint>
#include <vector>

#include "grid/row_table.hpp"

namespace whorl::storage {

class ModeOrder {
  public:
    ModeOrder(const Truncation& truncation, const RowTable& table);

    std::int64_t total() const { return total_; } // kept modes of the whole box
    int width() const { return kx_.size(); }      // own kx and ky
    int height() const { return height_; }

    // Of own column (i, j): where its modes begin in the file, and how many there are.
    std::int64_t begin(int i, int j) const { return begin_[at(i, j)]; }
    std::int64_t column(int i, int j) const { return count_[at(i, j)]; }
    // Modes of own kx i.
    std::int64_t modes(int i) const {
        std::int64_t sum = 0;
        for (int j = 0; j < height_; ++j) sum += column(i, j);
        return sum;
    }

  private:
    std::size_t at(int i, int j) const {
        return static_cast<std::size_t>(i) * static_cast<std::size_t>(height_) + static_cast<std::size_t>(j);
    }
    Dealt kx_;
    int height_, nz_;
    bool wall_z_;
    std::int64_t total_ = 0;
    std::vector<std::int64_t> begin_;
    std::vector<std::int32_t> count_;
};

} // namespace whorl::storage

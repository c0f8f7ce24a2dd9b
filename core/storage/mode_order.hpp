// The order of modes in a checkpoint, the same whatever the ranks:
//
//   kx = 0, 1, ...; then ky = 0, ..., K, -K, ..., -1; then kz = 0, ..., Z, -Z, ..., -1
//
// (no negative ones along an axis with walls) with K the largest kept ky and Z that of the column (kx, ky): a
// rank's share of one kx is contiguous.
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
    int height() const { return ky_.size(); }

    // Place of the first mode of own column (i, j) in the file; begin(i, height()) ends the run of kx i.
    std::int64_t begin(int i, int j) const {
        return begin_[static_cast<std::size_t>(i) * stride() + static_cast<std::size_t>(j)];
    }
    std::int64_t column(int i, int j) const { return begin(i, j + 1) - begin(i, j); }
    std::int64_t run(int i) const { return begin(i, height()) - begin(i, 0); }
    // Where the m-th mode of a column of `count` lies on a line of nz in transform order.
    int line_index(std::int64_t m, std::int64_t count) const {
        return static_cast<int>(wall_z_ || 2 * m < count ? m : nz_ - count + m);
    }

  private:
    std::size_t stride() const { return static_cast<std::size_t>(height()) + 1; }
    Dealt kx_;
    Block ky_;
    int nz_;
    bool wall_z_;
    std::int64_t total_ = 0;
    std::vector<std::int64_t> begin_;
};

} // namespace whorl::storage

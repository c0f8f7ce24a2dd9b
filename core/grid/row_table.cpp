#include "grid/row_table.hpp"

#include <algorithm>

namespace whorl {

RowTable::RowTable(const Box& box, const Truncation& truncation, const Pencils& pencils, int r, int c)
    : kx_(pencils.kx(r)), ky_(pencils.ky(r, c)), nz_(box.points[2]) {
    rows_.reserve(static_cast<std::size_t>(ky_.size()) * static_cast<std::size_t>(nz_));
    for (int index = ky_.begin; index < ky_.end; ++index) {
        const int n_y = signed_index(index, truncation.extent(1));
        for (int l = 0; l < nz_; ++l) {
            const int n_z = l <= nz_ / 2 ? l : l - nz_;
            const int length = std::clamp(truncation.row_length(n_y, n_z) - kx_.begin, 0, kx_.size());
            rows_.push_back({modes_, length});
            modes_ += length;
        }
    }
}

} // namespace whorl

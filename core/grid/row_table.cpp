#include "grid/row_table.hpp"

namespace whorl {

RowTable::RowTable(const Box& box, const Truncation& truncation, const Pencils& pencils, int r, int c)
    : kx_(pencils.kx(r)), ky_(pencils.ky(r, c)), nz_(box.points[2]) {
    rows_.reserve(static_cast<std::size_t>(ky_.size()) * static_cast<std::size_t>(nz_));
    for (int index = ky_.begin; index < ky_.end; ++index) {
        const int n_y = signed_index(index, truncation.extent(1));
        for (int l = 0; l < nz_; ++l) {
            const int n_z = line_number(l, nz_, box.wall(2));
            const int length = kx_.below(truncation.row_length(n_y, n_z));
            rows_.push_back({modes_, length});
            modes_ += length;
        }
    }
}

std::int64_t count_modes(const Truncation& truncation, const Dealt& kx, Block ky) {
    const int extent = truncation.extent(1);
    const auto holds = [&](int index) { return index >= ky.begin && index < ky.end ? 1 : 0; };
    std::int64_t modes = 0;
    for (int n_y = 0; n_y <= extent; ++n_y) { // a column of -n_y is as long as that of n_y
        const bool both = n_y > 0 && !truncation.wall(1);
        const int times = holds(n_y) + (both ? holds(2 * extent + 1 - n_y) : 0);
        if (times > 0) modes += times * truncation.count_modes(n_y, kx);
    }
    return modes;
}

} // namespace whorl

#include "grid/row_table.hpp"

#include <cstdlib>

namespace whorl {

RowTable::RowTable(const Box& box, const Truncation& truncation, const Pencils& pencils, int r, int c)
    : kx_(pencils.kx(r)), ky_(pencils.ky(r, c)), nz_(box.points[2]) {
    rows_.reserve(static_cast<std::size_t>(ky_.size()) * static_cast<std::size_t>(nz_));
    for (const int index : ky_) {
        const int n_y = signed_index(index, truncation.extent(1));
        for (int l = 0; l < nz_; ++l) {
            const int n_z = line_number(l, nz_, box.wall(2));
            const int length = kx_.below(truncation.row_length(n_y, n_z));
            rows_.push_back({modes_, length});
            modes_ += length;
        }
    }
}

std::vector<int> RowTable::signed_ky(const Truncation& truncation) const {
    std::vector<int> numbers;
    for (const int index : ky_) numbers.push_back(signed_index(index, truncation.extent(1)));
    return numbers;
}

std::int64_t count_modes(const Truncation& truncation, const Dealt& kx, const std::vector<int>& ky) {
    const int extent = truncation.extent(1);
    std::vector<int> times(static_cast<std::size_t>(extent) + 1, 0); // -n_y and n_y have equal columns
    for (const int index : ky) ++times[static_cast<std::size_t>(std::abs(signed_index(index, extent)))];
    std::int64_t modes = 0;
    for (int n_y = 0; n_y <= extent; ++n_y) {
        const int columns = times[static_cast<std::size_t>(n_y)];
        if (columns > 0) modes += columns * truncation.count_modes(n_y, kx);
    }
    return modes;
}

} // namespace whorl

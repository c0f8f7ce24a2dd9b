#include "storage/mode_order.hpp"

#include <cstdlib>

namespace whorl::storage {

namespace {

// Kept kz of a column. Kept sets are convex and the same for -kz: bisect the end of kz >= 0.
std::int64_t kept_in_column(const Truncation& truncation, int n_x, int n_y) {
    int low = 0;
    int high = truncation.extent(2) + 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (truncation.kept(n_x, n_y, middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && !truncation.wall(2) ? 2LL * low - 1 : low;
}

} // namespace

ModeOrder::ModeOrder(const Truncation& truncation, const RowTable& table)
    : kx_(table.kx()), ky_(table.ky()), nz_(table.nz()), wall_z_(truncation.wall(2)) {
    const int extent = truncation.extent(1);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(extent) + 1); // by |ky|, of one kx
    for (int n_x = 0; n_x <= truncation.extent(0); ++n_x) {
        for (int n_y = 0; n_y <= extent; ++n_y)
            counts[static_cast<std::size_t>(n_y)] = kept_in_column(truncation, n_x, n_y);
        const int own_before = kx_.below(n_x);
        const bool own = own_before < kx_.size() && kx_.at(own_before) == n_x;
        for (int index = 0; index < truncation.count(1); ++index) {
            if (own && index >= ky_.begin && index < ky_.end) begin_.push_back(total_);
            total_ += counts[static_cast<std::size_t>(std::abs(signed_index(index, extent)))];
            if (own && index == ky_.end - 1) begin_.push_back(total_);
        }
    }
}

} // namespace whorl::storage

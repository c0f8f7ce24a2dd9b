#include "storage/mode_order.hpp"

#include <cstdlib>

namespace whorl::storage {

// Places are counted over the modes of all ranks, kx after kx.
ModeOrder::ModeOrder(const Truncation& truncation, const RowTable& table)
    : kx_(table.kx()), height_(table.height()), nz_(table.nz()), wall_z_(truncation.wall(2)) {
    const int extent = truncation.extent(1);
    std::vector<int> lengths, counts(static_cast<std::size_t>(extent) + 1); // by |ky|; modes: of one kx
    for (int n_y = 0; n_y <= extent; ++n_y) lengths.push_back(truncation.column_length(n_y));
    for (int n_x = 0; n_x <= truncation.extent(0); ++n_x) {
        for (std::size_t n_y = 0; n_y < counts.size(); ++n_y)
            counts[n_y] = n_x < lengths[n_y] ? truncation.column_modes(n_x, static_cast<int>(n_y)) : 0;
        const int own_before = kx_.below(n_x);
        const bool own = own_before < kx_.size() && kx_.at(own_before) == n_x;
        auto next = table.ky().begin();
        for (int index = 0; index < truncation.count(1); ++index) {
            const int count = counts[static_cast<std::size_t>(std::abs(signed_index(index, extent)))];
            if (own && next != table.ky().end() && *next == index) {
                begin_.push_back(total_);
                count_.push_back(count);
                ++next;
            }
            total_ += count;
        }
    }
}

} // namespace whorl::storage

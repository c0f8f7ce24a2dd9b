#include "particles/ownership.hpp"

#include <algorithm>
#include <set>

namespace whorl::particles {

Ownership::Ownership(const Box& box, const Pencils& pencils, int rank)
    : axes_{GridAxis(box, 0), GridAxis(box, 1), GridAxis(box, 2)}, rank_(rank),
      row_of_(static_cast<std::size_t>(box.points[1])), column_of_(static_cast<std::size_t>(box.points[2])) {
    const auto [p_row, p_col] = pencils.grid();
    const auto set = [](std::vector<int>& of, const Range& range, int value) {
        for (int i = range.begin; i < range.end; ++i) of[static_cast<std::size_t>(i)] = value;
    };
    for (int r = 0; r < p_row && !pencils.flat_y(); ++r) set(row_of_, pencils.y(r), r);
    for (int c = 0; c < p_col; ++c) {
        set(column_of_, pencils.z(c), c * p_row);
        // If y has one point, the ranks of a row share planes.
        for (int r = 0; r < p_row && pencils.flat_y(); ++r)
            set(column_of_, pencils.point_z(r, c), c * p_row + r);
    }
}

std::vector<std::uint32_t> Ownership::order(std::span<const double> positions) const {
    const auto row_of = [&](std::size_t p) {
        const auto [x, y, z] = place(&positions[3 * p]);
        return static_cast<std::size_t>(point(2, z)) * row_of_.size() + static_cast<std::size_t>(point(1, y));
    };
    std::vector<std::uint32_t> next(row_of_.size() * column_of_.size() + 1), ordered(positions.size() / 3);
    for (std::size_t p = 0; p < ordered.size(); ++p) ++next[row_of(p) + 1];
    for (std::size_t row = 1; row < next.size(); ++row) next[row] += next[row - 1];
    for (std::size_t p = 0; p < ordered.size(); ++p)
        ordered[next[row_of(p)]++] = static_cast<std::uint32_t>(p);
    return ordered;
}

std::vector<int> Ownership::neighbours(int reach) const {
    std::vector<int> own_y, own_z;
    for (int z = 0; z < axes_[2].points; ++z)
        for (int y = 0; y < axes_[1].points; ++y) {
            if (owner(y, z) != rank_) continue;
            own_y.push_back(y);
            own_z.push_back(z);
        }
    std::set<int> ranks;
    for (const int z : around(2, own_z, reach))
        for (const int y : around(1, own_y, reach)) ranks.insert(owner(y, z));
    ranks.erase(rank_);
    return {ranks.begin(), ranks.end()};
}

std::vector<int> Ownership::around(int a, const std::vector<int>& points, int reach) const {
    const int most = std::min(reach, axis(a).points);
    std::set<int> found, own(points.begin(), points.end());
    for (const int point : own)
        for (int n = point - most; n <= point + most; ++n) {
            bool reflected = false;
            found.insert(axis(a).folded(n, reflected));
        }
    return {found.begin(), found.end()};
}

} // namespace whorl::particles

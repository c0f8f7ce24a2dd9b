// Which rank has the points around a position.
#pragma once

#include <array>
#include <vector>

#include "grid/box.hpp"
#include "grid/pencils.hpp"
#include "particles/stencil.hpp"

namespace whorl::particles {

class Territory {
  public:
    Territory(const Box& box, const Pencils& pencils, int rank);

    const GridAxis& axis(int a) const { return axes_[static_cast<std::size_t>(a)]; }
    int rank() const { return rank_; }
    // The rank that has a row of points.
    int owner(int y, int z) const {
        return row_of_[static_cast<std::size_t>(y)] + column_of_[static_cast<std::size_t>(z)];
    }
    // Of particles at a place, in spacings.
    int owner(const double* place) const { return owner(point(1, place[1]), point(2, place[2])); }
    // The point whose cell a place is in; of the cell beyond a wall, that at the wall.
    int point(int a, double place) const {
        const int cell = axis(a).cell(place);
        return cell < 0 ? 0 : cell;
    }
    std::array<double, 3> place(const double* position) const {
        return {axes_[0].place(position[0]), axes_[1].place(position[1]), axes_[2].place(position[2])};
    }
    // The other ranks with rows at most so many points away from some of this rank's.
    std::vector<int> neighbours(int reach) const;

  private:
    std::array<GridAxis, 3> axes_;
    int rank_;
    std::vector<int> row_of_, column_of_; // the rank of (y, z) is their sum

    // The points of an axis at most so far from some points.
    std::vector<int> around(int a, const std::vector<int>& points, int reach) const;
};

} // namespace whorl::particles

// Ownership of positions: the rank that has the points around each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "grid/box.hpp"
#include "grid/pencils.hpp"
#include "particles/stencil.hpp"

namespace whorl::particles {

// The rank that has the points around a position, from tables in the memory of the caller.
struct Owners {
    GridAxis y, z;
    const int *rows, *columns; // by points; the rank is the sum of these

    WHORL_ANYWHERE int operator()(const double* position) const {
        return rows[y.point(y.place(position[1]))] + columns[z.point(z.place(position[2]))];
    }
};

class Ownership {
  public:
    Ownership(const Box& box, const Pencils& pencils, int rank);

    const std::array<GridAxis, 3>& axes() const { return axes_; }
    const GridAxis& axis(int a) const { return axes_[static_cast<std::size_t>(a)]; }
    int rank() const { return rank_; }
    // The rank of (y, z) is the sum of these.
    const std::vector<int>& of_rows() const { return row_of_; }
    const std::vector<int>& of_columns() const { return column_of_; }
    // The rank that has a row of points.
    int owner(int y, int z) const {
        return row_of_[static_cast<std::size_t>(y)] + column_of_[static_cast<std::size_t>(z)];
    }
    // Finds the owners of particles by their positions.
    Owners owners() const { return {axes_[1], axes_[2], row_of_.data(), column_of_.data()}; }
    int point(int a, double place) const { return axis(a).point(place); }
    std::array<double, 3> place(const double* position) const {
        return {axes_[0].place(position[0]), axes_[1].place(position[1]), axes_[2].place(position[2])};
    }
    // The order of particles at these positions by the rows of points around them.
    std::vector<std::uint32_t> order(std::span<const double> positions) const;
    // The other ranks with rows at most `reach` points away from a row of this rank.
    std::vector<int> neighbours(int reach) const;

  private:
    std::array<GridAxis, 3> axes_;
    int rank_;
    std::vector<int> row_of_, column_of_;

    // The points of an axis at most `reach` away from these points.
    std::vector<int> around(int a, const std::vector<int>& points, int reach) const;
};

} // namespace whorl::particles

// The place of a particle on the grid, and the points around it along an axis from which a value is
// interpolated.
#pragma once

#include <cmath>

#include "grid/box.hpp"
#include "particles/interpolation.hpp"

namespace whorl::particles {

// The points of a box along one axis.
struct GridAxis {
    int points = 1;
    double spacing = 1.0, first = 0.0; // the position of point 0, in spacings
    bool wall = false;
    double per_spacing = 1.0, per_point = 1.0; // inverses

    GridAxis() = default;
    GridAxis(const Box& box, int axis)
        : points(box.points[static_cast<std::size_t>(axis)]), spacing(box.spacing(axis)),
          first(box.first_point(axis)), wall(box.wall(axis)), per_spacing(1.0 / spacing),
          per_point(1.0 / points) {}

    // A copy of the axis, moved by `cells` spacings.
    GridAxis moved(double cells) const {
        GridAxis axis = *this;
        axis.first += cells;
        return axis;
    }

    // The place of a position in spacings from point 0 on: in [0, points), or from one wall to the other. A
    // position that is not finite gets some place inside.
    WHORL_INLINE double place(double position) const {
        if (points == 1) return 0.0;
        if (!wall) return periodic_place(position);
        const double at = position * per_spacing - first;
        return !(at > -first) ? -first : at < points - first ? at : points - first;
    }
    // place() without walls. A result at or beyond an end becomes 0. It comes from rounding, or from a
    // position so large that no digits are left for the box.
    WHORL_INLINE double periodic_place(double position) const {
        const double at = position * per_spacing - first, box = points;
        const double in_box = at - box * std::floor(at * per_point);
        return in_box >= 0.0 && in_box < box ? in_box : 0.0;
    }
    // The point at or before a place; between walls it may be -1.
    WHORL_INLINE int cell(double place) const { return static_cast<int>(std::floor(place)); }
    // The point whose cell contains a place; for the cell beyond a wall, the point at the wall.
    WHORL_INLINE int point(double place) const {
        const int at = cell(place);
        return at < 0 ? 0 : at;
    }
    // The point that has the value of point `number`, which may be half a stencil beyond the ends, and
    // whether it is a reflection.
    WHORL_INLINE int folded(int number, bool& reflected) const {
        reflected = false;
        if (points == 1) return 0;
        // Wraps around the box, or reflects at both walls, as often as a box of few points needs.
        int n = number;
        if (!wall) {
            while (n < 0) n += points;
            while (n >= points) n -= points;
            return n;
        }
        while (n < 0 || n >= points) {
            n = n < 0 ? -1 - n : 2 * points - 1 - n;
            reflected = !reflected;
        }
        return n;
    }
    int count(const Interpolation& of) const { return points == 1 ? 1 : of.points; }
};

struct Stencil {
    int count;
    int at[Interpolation::most];
    bool reflected[Interpolation::most];
    double w[Interpolation::most];

    WHORL_INLINE Stencil(const GridAxis& axis, const Interpolation& of, double place) {
        if (axis.points == 1) {
            count = 1;
            at[0] = 0;
            reflected[0] = false;
            w[0] = 1.0;
            return;
        }
        count = of.points;
        const int cell = axis.cell(place);
        of.weights(place - cell, w);
        for (int j = 0; j < count; ++j) at[j] = axis.folded(cell - count / 2 + 1 + j, reflected[j]);
    }
    // The weight for a field that is odd about walls, or even.
    WHORL_INLINE double weight(int j, bool odd) const { return odd && reflected[j] ? -w[j] : w[j]; }
};

} // namespace whorl::particles

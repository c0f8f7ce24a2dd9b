// The bins in which modes are counted, along one or two coordinates of their wavenumber k:
//   |k|;  |k_a| along an axis a;  k_perp = sqrt(k^2 - k_a^2) across it;  atan2(k_perp, |k_a|), the angle from
//   it in radians.
// A cell is a bin of each coordinate. One more bin, after the others of a coordinate, is for values outside
// them.
#pragma once

#include <cmath>
#include <vector>

#include "base/macros.hpp"
#include "grid/box.hpp"
#include "roundtrip/mode.hpp"

namespace whorl::programs {

enum class ModeCoordinate { size, along, across, angle };

WHORL_INLINE double mode_coordinate(ModeCoordinate of, int axis, Wavenumber<double> k) {
    if (of == ModeCoordinate::size) return std::sqrt(square(k));
    const double along = axis == 0 ? k.x : axis == 1 ? k.y : k.z;
    if (of == ModeCoordinate::along) return std::abs(along);
    const double first = axis == 0 ? k.y : k.x, second = axis == 2 ? k.y : k.z;
    const double across = std::sqrt(first * first + second * second);
    return of == ModeCoordinate::across ? across : std::atan2(across, std::abs(along));
}

// An edge lowered by the error of rounding, so that no value on the edge is below it (grid/box.hpp).
inline double lowered(double edge) { return edge > 0.0 ? edge * (1.0 - rounding_of_wavenumbers) : edge; }

// Bins [e_n, e_(n+1)) between edges.
struct ModeAxis {
    ModeCoordinate of = ModeCoordinate::size;
    int axis = 2;
    std::vector<double> edges;
};

// A ModeAxis as a device reads it.
struct ModeBinsOfAxis {
    ModeCoordinate of;
    int axis;
    int bins;
    const double* edges; // lowered by the error of rounding

    WHORL_INLINE double value(Wavenumber<double> k) const { return mode_coordinate(of, axis, k); }
    // The bin of a value, or `bins`.
    WHORL_INLINE int bin(double value) const {
        int below = 0, edge_count = bins + 1; // the first edges are not above it
        while (below < edge_count) {
            const int middle = (below + edge_count) / 2;
            if (edges[middle] <= value)
                below = middle + 1;
            else
                edge_count = middle;
        }
        return below > 0 ? below - 1 : bins;
    }
    // The bin of a value, searched from the bin `near`.
    WHORL_INLINE int bin(double value, int near) const {
        if (value < edges[0]) return bins;
        int n = near;
        while (n < bins && edges[n + 1] <= value) ++n;
        while (value < edges[n]) --n;
        return n;
    }
};

struct ModeBins {
    static constexpr int most_axes = 2;

    int axes;
    ModeBinsOfAxis of[most_axes];

    // The bins of a mode.
    struct Place {
        int of[most_axes];
    };
    WHORL_INLINE int cells() const { return (of[0].bins + 1) * (axes == 2 ? of[1].bins + 1 : 1); }
    WHORL_INLINE int cell(Place place) const {
        return axes == 1 ? place.of[0] : place.of[0] * (of[1].bins + 1) + place.of[1];
    }
    // Whether a mode has a bin of each coordinate, neither below nor beyond all.
    WHORL_INLINE bool is_inside(Place place) const {
        for (int a = 0; a < axes; ++a)
            if (place.of[a] == of[a].bins) return false;
        return true;
    }
    WHORL_INLINE Place place(Wavenumber<double> k) const {
        Place place{};
        for (int a = 0; a < axes; ++a) place.of[a] = of[a].bin(of[a].value(k));
        return place;
    }
    // The place of a mode, searched from that of a mode near it.
    WHORL_INLINE Place place(Wavenumber<double> k, Place near) const {
        for (int a = 0; a < axes; ++a) near.of[a] = of[a].bin(of[a].value(k), near.of[a]);
        return near;
    }
};

} // namespace whorl::programs

// The shape of a tally, which is a histogram (programs/tally.hpp).
#pragma once

#include <array>

#include "base/macros.hpp"

namespace whorl::programs {

// The operands of a tally, among the results of a program: one for each axis, 1 or 2 of them, then the
// weights.
struct TallyShape {
    int axes = 1;
    std::array<int, 2> bins{};
    int weights = 0;

    static constexpr int beyond = 3; // cells below, above and of NaN
    static constexpr int most_bins = 1 << 20, most_cells = 1 << 24;

    bool fits() const {
        const auto few = [](int count) { return count >= 1 && count <= most_bins; };
        if (axes < 1 || axes > 2 || weights < 0 || !few(bins[0]) || (axes == 2 && !few(bins[1])))
            return false;
        return axes == 1 || 1LL * of_axis(0) * of_axis(1) <= most_cells;
    }
    int operands() const { return axes + weights; }
    WHORL_INLINE int of_axis(int axis) const { return (axis == 0 ? bins[0] : bins[1]) + beyond; }
    WHORL_INLINE int cells() const { return axes == 1 ? of_axis(0) : of_axis(0) * of_axis(1); }
    template <class Real> static WHORL_INLINE int place(Real value, int count) {
        // Choices among real numbers and one conversion: four points at a time.
        const auto end = static_cast<Real>(count);
        Real cell = value < end ? value : end + 1;
        cell = value < Real(0) ? end : cell;
        cell = value != value ? end + 2 : cell;
        return static_cast<int>(cell);
    }
    template <class Real> WHORL_INLINE int cell(Real a, Real b) const {
        const int first = place(a, bins[0]);
        return axes == 1 ? first : first * of_axis(1) + place(b, bins[1]);
    }
};

} // namespace whorl::programs

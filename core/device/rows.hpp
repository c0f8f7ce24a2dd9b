// Real rows as row_lines.hpp takes them, at either end and in between.
#pragma once

#include <cstdint>

#include "base/complex.hpp"
#include "base/dealt.hpp"

namespace whorl::device {

// Some modes of rows: row j of variable v at data + v * variable_stride + j * row_stride. From there `room`
// numbers may be touched.
template <class Real> struct HalfRows {
    Complex<Real>* data;
    std::int64_t variable_stride, row_stride;
    Dealt modes;
    int room;

    WHORL_INLINE int width() const { return modes.size(); }
};

// The x of element j of a line whose even points come first, in order, and then the odd ones from the last
// on.
WHORL_INLINE int unfolded(int j, int n) { return 2 * j < n ? 2 * j : 2 * n - 1 - 2 * j; }

// Points of a block of rows: value (variable v, point i, row j) at data[v * stride + i * rows + j]; `count`
// of the rows are there. Points come in groups of so many, `step` apart from the group's first.
template <class Real> struct RowPoints {
    Real* data;
    std::int64_t stride;
    int rows, count;
    const int* first; // of each group
    int of_group, step, points;
    int folded; // points of a line whose points are in the order of unfolded(), else 0

    WHORL_INLINE int x(int i) const {
        const int j = first[i / of_group] + i % of_group * step;
        return folded > 0 ? unfolded(j, folded) : j;
    }
};

} // namespace whorl::device

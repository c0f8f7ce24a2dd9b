// Real rows as row_lines.hpp takes them, at either end and in between.
#pragma once

#include <cstdint>

#include "base/complex.hpp"

namespace whorl::device {

// Modes first, ..., first + width - 1 of rows: row j of variable v at data + v * variable_stride + j *
// row_stride. From there `room` numbers may be touched.
template <class Real> struct HalfRows {
    Complex<Real>* data;
    std::int64_t variable_stride, row_stride;
    int first, width, room;
};

// Points of a block of rows: value (variable v, point i, row j) at data[v * stride + i * rows + j]; point i
// has x = first + i * step, and `count` of the rows are there.
template <class Real> struct RowPoints {
    Real* data;
    std::int64_t stride;
    int rows, count;
    int first, step, points;
};

} // namespace whorl::device

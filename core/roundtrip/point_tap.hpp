// What is shown the inputs of a pass at all points, before their products take their place: on threads, where
// planes go by in blocks of rows (RoundTrip::shown_rows()).
#pragma once

#include "device/rows.hpp"
#include "roundtrip/mode.hpp"

namespace whorl {

template <class Real> class PointTap {
  public:
    virtual ~PointTap() = default;
    // Some points of a block of rows, whose first point is `first`; inputs are the first variables.
    virtual void take(int executor, const device::RowPoints<Real>& points, const Point& first) = 0;
    // All points of a block were taken. The blocks of a plane come in order, on one executor.
    virtual void end_rows(int executor, const Point& first) = 0;
};

} // namespace whorl

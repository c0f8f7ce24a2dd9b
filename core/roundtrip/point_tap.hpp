// A tap, to which a pass shows its inputs at all points before products replace them. Taps are for threads,
// where planes come in blocks of rows (RoundTrip::shown_rows()).
#pragma once

#include "device/rows.hpp"
#include "roundtrip/mode.hpp"

namespace whorl {

template <class Real> class PointTap {
  public:
    virtual ~PointTap() = default;
    // Some points of a block of rows, whose first point is `first`; inputs are the first variables.
    virtual void take(int executor, const device::RowPoints<Real>& points, const Point& first) = 0;
    // Called after take() for all points of a block. The blocks of a plane come in order, on one executor.
    virtual void end_rows(int executor, const Point& first) = 0;
};

} // namespace whorl

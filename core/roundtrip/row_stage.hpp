// The stage of rows: x lines to the points, point(), and x lines back (docs/method.md, "Round trip").
//
//   rows -x lines-> points -point-> products -x lines-> rows
//
//   make_plans(choice, planes)   plans for the present workspace and these numbers of planes at a time.
//   shares(executor, index, b)   the shares of the index-th own plane of batch b.
//   through(pass, executor, rows, meanwhile)
//                                calls meanwhile(points) with the number of points that come next.
#pragma once

#include <type_traits>

#include "roundtrip/rows_on_queues.hpp"
#include "roundtrip/rows_on_threads.hpp"

namespace whorl {

template <class Device, class Real>
using RowStage = std::conditional_t<Device::queues, RowsOnQueues<Device, Real>, RowsOnThreads<Device, Real>>;

} // namespace whorl

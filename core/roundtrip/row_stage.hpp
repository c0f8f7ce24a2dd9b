// The stage of rows: through x to the points, the work there, and back (docs/method.md, "Round trip").
//
//   rows -x lines-> points -point-> products -x lines-> rows
//
//   take_lines(choice, planes)   for the workspace the executors have now, which have so many planes in hand
//   shares(executor, index, b)   rows of the index-th of those of a batch's planes whose rows this rank has
//   through(pass, executor, rows, meanwhile)
//                                meanwhile(points) is told on the way how many points are done
#pragma once

#include <type_traits>

#include "roundtrip/rows_on_queues.hpp"
#include "roundtrip/rows_on_threads.hpp"

namespace whorl {

template <class Device, class Real>
using RowStage = std::conditional_t<Device::queues, RowsOnQueues<Device, Real>, RowsOnThreads<Device, Real>>;

} // namespace whorl

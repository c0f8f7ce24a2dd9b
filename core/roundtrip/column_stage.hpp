// The first stage of a round trip towards the points, and the last on the way back: columns between the modes
// and the z-pencil (docs/method.md, "Round trip").
//
//   modes -load-> -z lines-> z-pencil,   z-pencil -z lines-> -store-> modes
//
//   make_plans(choice)              plans for the present workspace of the executors
//   inwards(pass), outwards(pass)   all columns of the rank
#pragma once

#include <type_traits>

#include "roundtrip/columns_on_queues.hpp"
#include "roundtrip/columns_on_threads.hpp"

namespace whorl {

template <class Device, class Real>
using ColumnStage =
    std::conditional_t<Device::queues, ColumnsOnQueues<Device, Real>, ColumnsOnThreads<Device, Real>>;

} // namespace whorl

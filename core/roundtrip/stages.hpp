// The stages of a round trip (docs/method.md, "Round trip"), on threads or on streams.
#pragma once

#include <type_traits>

#include "roundtrip/columns_on_streams.hpp"
#include "roundtrip/columns_on_threads.hpp"
#include "roundtrip/planes_on_streams.hpp"
#include "roundtrip/planes_on_threads.hpp"
#include "roundtrip/rows_on_streams.hpp"
#include "roundtrip/rows_on_threads.hpp"

namespace whorl {

// The first stage towards the points, and the last on the way back: columns between the modes and the
// z-pencil.
//
//   modes -load-> -z lines-> z-pencil,   z-pencil -z lines-> -store-> modes
//
//   make_plans(choice)              plans for the present workspace of the executors
//   inwards(pass), outwards(pass)   all columns of the rank
template <class Device, class Real>
using ColumnStage =
    std::conditional_t<Device::streams, ColumnsOnStreams<Device, Real>, ColumnsOnThreads<Device, Real>>;

// The stage of planes, in groups, between the y-pencil and rows along x.
//
//   y-pencil -y lines-> planes,   planes -y lines-> products of one kx, ky -contract-> y-pencil
//
//   make_plans(choice)                   plans for the present workspace of the executors.
//   inwards(pass, executor, z)           planes z of a group.
//   outwards(pass, executor, z)
//   groups(), group(), planes()          PlaneGroups (plane_groups.hpp).
//   move_rows(), fetch_during()          exchanged rows; prefetching for the next plane.
template <class Device, class Real>
using PlaneStage =
    std::conditional_t<Device::streams, PlanesOnStreams<Device, Real>, PlanesOnThreads<Device, Real>>;

// The stage of rows: x lines to the points, point(), and x lines back.
//
//   rows -x lines-> points -point-> products -x lines-> rows
//
//   make_plans(choice, planes)   plans for the present workspace and these numbers of planes at a time.
//   shares(executor, index, b)   the shares of the index-th own plane of batch b.
//   through(pass, executor, rows, meanwhile)
//                                calls meanwhile(points) with the number of points that come next.
template <class Device, class Real>
using RowStage =
    std::conditional_t<Device::streams, RowsOnStreams<Device, Real>, RowsOnThreads<Device, Real>>;

} // namespace whorl

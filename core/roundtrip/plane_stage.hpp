// The stage of planes, in groups, between the y-pencil and rows along x (docs/method.md, "Round trip").
//
//   y-pencil -y lines-> planes,   planes -y lines-> products of one kx, ky -contract-> y-pencil
//
//   make_plans(choice)                   plans for the present workspace of the executors.
//   inwards(pass, executor, z)           planes z of a group.
//   outwards(pass, executor, z)
//   groups(), group(), planes()          PlaneGroups (plane_groups.hpp).
//   move_rows(), fetch_during()          exchanged rows; prefetching for the next plane.
#pragma once

#include <type_traits>

#include "roundtrip/planes_on_queues.hpp"
#include "roundtrip/planes_on_threads.hpp"

namespace whorl {

template <class Device, class Real>
using PlaneStage =
    std::conditional_t<Device::queues, PlanesOnQueues<Device, Real>, PlanesOnThreads<Device, Real>>;

} // namespace whorl

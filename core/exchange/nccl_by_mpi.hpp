#pragma once

#include "device/deferred.hpp"
#include "exchange/transport.hpp"

namespace whorl::exchange {

// A replacement of NCCL on a device of the tests: the messages of a batch are work of its queue, done by MPI.
Maker nccl_by_mpi_maker(device::DeferredSideQueue& queue);

} // namespace whorl::exchange

#pragma once

#include "device/side_queue.hpp"
#include "exchange/transport.hpp"

namespace whorl::exchange {

// Sends and receives by NCCL between GPUs, one group for each batch, on a queue of the GPU that all rows and
// columns share, so that all ranks exchange in the same order; without MPI. Each rank needs its own GPU.
Maker nccl_maker(device::SideQueue& queue);

} // namespace whorl::exchange

#pragma once

#include "device/side_queue.hpp"
#include "exchange/transport.hpp"

namespace whorl::exchange {

// Sends and receives by NCCL between GPUs, without MPI, one group for each batch. All rows and columns share
// a queue of the GPU, so that all ranks exchange in the same order.
Maker nccl_maker(device::SideQueue& queue);

} // namespace whorl::exchange

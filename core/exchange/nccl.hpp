#pragma once

#include "exchange/transport.hpp"

namespace whorl::exchange {

// Sends and receives by NCCL between GPUs, one group for each batch, on a separate stream, without the host
// and MPI. Each rank needs its own GPU.
Maker nccl_maker();

} // namespace whorl::exchange

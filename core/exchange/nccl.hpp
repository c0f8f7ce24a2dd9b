#pragma once

#include "exchange/transport.hpp"

namespace whorl::exchange {

// Sends and receives of NCCL among GPUs, a group a batch, on a stream of its own: no host, no MPI. A GPU for
// each rank.
Maker nccl_maker();

} // namespace whorl::exchange

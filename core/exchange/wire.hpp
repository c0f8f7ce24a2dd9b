#pragma once

#include "exchange/transport.hpp"

namespace whorl::exchange {

// Numbers are sent in single precision: half the bytes, with a relative error of 6e-8. `threads` threads
// convert them in place, in the chunks of the send and the receive buffer; a single-precision run has nothing
// to convert.
Maker in_single_precision(int threads, const Maker& make);

} // namespace whorl::exchange

#pragma once

#include "exchange/transport.hpp"

namespace whorl::exchange {

// Numbers travel in single precision: half the bytes, errors of 6e-8 of each number. They are converted where
// they lie, in the chunks of the send and the receive buffer, by so many threads; a single-precision run has
// nothing to convert.
Maker in_single_precision(int threads, const Maker& make);

} // namespace whorl::exchange

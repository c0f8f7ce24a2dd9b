#pragma once

#include "exchange/transport.hpp"

namespace whorl::exchange {

// Throws Error unless MPI was started with at least the support a threading wants.
void require_threading(const std::string& threading);

// Variables shared by threads, each exchanging its own on its own communicator (threading = "multiple").
Maker by_threads(int threads, const Maker& make);

// One thread does what start() and wait() ask for, in that order, while the caller goes on: any transport
// overlaps (threading = "serialized").
Maker in_background(const Maker& make);

} // namespace whorl::exchange

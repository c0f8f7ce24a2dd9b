#pragma once

#include "exchange/transport.hpp"

namespace whorl::exchange {

// Throws Error unless MPI was initialised with the thread support that `threading` needs.
void require_threading(const std::string& threading);

// Divides the variables among threads, each of which exchanges its part on its own communicator (threading =
// "multiple").
Maker by_threads(int threads, const Maker& make);

// One thread executes the calls of start() and wait() in order while the caller continues, so that any
// transport overlaps (threading = "serialized").
Maker in_background(const Maker& make);

} // namespace whorl::exchange

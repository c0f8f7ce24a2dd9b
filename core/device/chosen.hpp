// The device a file is compiled for, of those that are compiled once for each.
#pragma once

#include "device/cpu.hpp"

namespace whorl::device {

using Chosen = Cpu;

} // namespace whorl::device

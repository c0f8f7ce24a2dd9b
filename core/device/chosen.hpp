// The device of a file that is compiled once for each device: the class WHORL_CHOSEN of
// device/WHORL_CHOSEN_FILE.hpp (cmake/devices.cmake), else the CPU.
#pragma once

#ifndef WHORL_CHOSEN
#define WHORL_CHOSEN Cpu
#define WHORL_CHOSEN_FILE cpu
#endif
#define WHORL_TEXT(words) #words
// clang-format off
#define WHORL_HEADER_OF(file) WHORL_TEXT(device/file.hpp)
// clang-format on
#include WHORL_HEADER_OF(WHORL_CHOSEN_FILE)

namespace whorl::device {
using Chosen = WHORL_CHOSEN;
}

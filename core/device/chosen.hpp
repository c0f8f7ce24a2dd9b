// The device of a file that is compiled once for each device: the class WHORL_CHOSEN of
// device/WHORL_CHOSEN_FILE.hpp (cmake/devices.cmake), else the CPU.
#pragma once

#include <string_view>

#include "base/declared.hpp"

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

// The device that declared.toml has with the class of this name.
constexpr const declared::Device& declared_device(std::string_view type) {
    for (const declared::Device& device : declared::devices)
        if (type == device.type) return device;
    return declared::devices.front();
}
#define WHORL_TEXT_OF(word) WHORL_TEXT(word)
static_assert(Chosen::streams == declared_device(WHORL_TEXT_OF(WHORL_CHOSEN)).streams,
              "declared.toml and the class of the device differ on its streams.");

} // namespace whorl::device

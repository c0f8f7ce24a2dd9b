// The setup of a host thread, before it uses the memory of the process's device.
#pragma once

#include <functional>

namespace whorl::device {

// A device sets it when it is made. Each thread but the one that made the device calls it, if it is set.
inline std::function<void()> thread_setup;

} // namespace whorl::device

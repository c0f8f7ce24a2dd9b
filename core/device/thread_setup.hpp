// What a thread of the host does before it works with the memory of the process's device.
#pragma once

#include <functional>

namespace whorl::device {

// By a device, when it is made; nothing until then.
void set_thread_setup(std::function<void()> setup);
// By each thread but the one that made the device.
void set_up_thread();

} // namespace whorl::device

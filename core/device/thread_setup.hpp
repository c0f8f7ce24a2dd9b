// The setup of a host thread, before it uses the memory of the process's device.
#pragma once

#include <functional>

namespace whorl::device {

// Called by a device when it is made. Before that the setup does nothing.
void set_thread_setup(std::function<void()> setup);
// Called by each thread but the one that made the device.
void set_up_thread();

} // namespace whorl::device

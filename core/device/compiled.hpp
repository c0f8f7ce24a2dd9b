// The devices there are, by name; what each can do is in its own header.
#pragma once

#include <string>

namespace whorl::device {

// Of the devices that work is enqueued on: all but the CPU.
inline constexpr int stream_count = 2;
inline bool has_streams(const std::string& name) { return name != "cpu"; }

class Cpu;
class CpuAsGpu;
class Cuda;
class Hip;

} // namespace whorl::device

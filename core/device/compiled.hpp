// The devices there are, by name; what each can do is in its own header.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace whorl::device {

// Of the devices that work is enqueued on: all but the CPU.
inline constexpr int stream_count = 2;
inline bool has_streams(const std::string& name) { return name != "cpu"; }

// A GPU that is there: bytes of its memory.
struct Gpu {
    std::string name, id; // the same on every rank that sees it, whatever its number there
    std::int64_t memory = 0, free = 0;
};
std::vector<Gpu> cuda_gpus();
std::string cuda_version();
// Bytes a second that copies within the GPU's memory read and write.
double cuda_copy_bandwidth();

class Cpu;
class CpuAsGpu;
class Cuda;
class Hip;

} // namespace whorl::device

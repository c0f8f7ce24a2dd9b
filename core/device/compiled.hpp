// The devices by name; the members of each are in its own header.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/declared.hpp"

namespace whorl::device {

// The number of queues of devices that work is enqueued on, which are all but the CPU.
inline constexpr int queue_count = 2;
// Bytes of a block's memory that plans count with, which must not depend on the GPU: an A100 has 163 KiB, an
// H100 227 KiB.
inline constexpr std::int64_t planned_block_memory = 160 << 10;
// True also of a name that is unknown.
inline bool has_queues(const std::string& name) {
    for (const declared::Device& device : declared::devices)
        if (name == device.name) return device.queues;
    return true;
}

// A GPU: the bytes of its memory, and of the memory of a block.
struct Gpu {
    std::string name, id; // the same on every rank that sees it, though its number may differ
    std::int64_t memory = 0, block_memory = 0;
};
std::vector<Gpu> cuda_gpus();
// The free bytes of a GPU's memory; the calling thread uses this GPU from then on.
std::int64_t cuda_free_memory(int number);
std::string cuda_version();
// Bytes per second, read and written, of copies within the GPU's memory.
double cuda_copy_bandwidth();

class Cpu;

} // namespace whorl::device

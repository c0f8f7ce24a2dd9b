// The devices there are, by name; what each can do is in its own header.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace whorl::device {

// Of the devices that work is enqueued on: all but the CPU.
inline constexpr int queue_count = 2;
// Bytes that threads working together may share, 163 KiB of an A100 and 227 KiB of an H100, where what is
// planned must not depend on which it is.
inline constexpr std::int64_t planned_block_memory = 160 << 10;
inline bool has_queues(const std::string& name) { return name != "cpu"; }

// A GPU that is there: bytes of its memory, and of what the threads of a block may share.
struct Gpu {
    std::string name, id; // the same on every rank that sees it, whatever its number there
    std::int64_t memory = 0, block_memory = 0;
};
std::vector<Gpu> cuda_gpus();
// What is left of its memory; the process is at home there from then on.
std::int64_t cuda_free_memory(int number);
std::string cuda_version();
// Bytes a second that copies within the GPU's memory read and write.
double cuda_copy_bandwidth();

class Cpu;

} // namespace whorl::device

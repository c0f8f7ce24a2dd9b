// The devices by name; the members of each are in its own header.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/declared.hpp"

namespace whorl::device {

// The number of streams of each device but the CPU, which has none.
inline constexpr int stream_count = 2;
// Bytes of a block's memory that plans count with, which must not depend on the GPU: an A100 has 163 KiB, an
// H100 227 KiB.
inline constexpr std::int64_t planned_block_memory = 160 << 10;
// Bytes of the second cache that plans assume for GPUs: an A100 has 40 MiB, an H100 50.
inline constexpr std::int64_t planned_second_cache = 48 << 20;
// The layout of work in blocks of threads; 0: as whorl chooses. A choice changes no result by more than
// rounding; it is for measurements.
struct BlockChoice {
    int lane_bytes = 0; // of lines side by side: 32, 64 or 128
    int threads = 0;    // of a block: 32 to 512, by 32
    int pairs = 0;      // of rows in a block

    // Throws Error unless these are possible.
    void check() const;
};
// The memory of a block, and the memory that it may have if two or three blocks are on a multiprocessor at a
// time, which keeps 1 KiB of its memory for each.
struct BlockRoom {
    std::int64_t memory = 0;
    int lane_bytes = 0; // as in BlockChoice
    std::int64_t of_two() const { return shared_by(2); }
    std::int64_t of_three() const { return shared_by(3); }

  private:
    static constexpr std::int64_t kept = 1 << 10;
    std::int64_t shared_by(int blocks) const { return (memory + kept) / blocks - kept; }
};

// True also of a name that is unknown.
inline bool has_streams(const std::string& name) {
    for (const declared::Device& device : declared::devices)
        if (name == device.name) return device.streams;
    return true;
}

// A GPU: the bytes of its memory, and of the memory of a block.
struct Gpu {
    std::string name, id; // the same on every rank that sees it, though its number may differ
    std::int64_t memory = 0, block_memory = 0;
    int architecture = 0; // 90: sm_90
};
std::vector<Gpu> cuda_gpus();
// The free bytes of a GPU's memory; the calling thread uses this GPU from then on.
std::int64_t cuda_free_memory(int number);
std::string cuda_version();
// Bytes per second, read and written, of copies within the GPU's memory.
double cuda_copy_bandwidth();
// The kernels of typed equations in a precision, in NVIDIA's intermediate form, as nvcc writes it to a file:
// they lack the functions of core/equations/row_code.hpp, with which nvJitLink links them.
std::string cuda_kernels_to_link(bool of_double);
// Loads kernels that were linked, for Cuda::use_kernels(); they stay loaded.
std::uintptr_t load_cuda_kernels(const std::string& image);

class Cpu;

} // namespace whorl::device

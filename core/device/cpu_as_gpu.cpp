#include "device/cpu_as_gpu.hpp"

#include <algorithm>
#include <cstring>

namespace whorl::device {

namespace {
constexpr std::size_t behind = 1 << 10; // bytes
}

unsigned char* CpuAsGpu::fresh_memory(std::int64_t bytes) {
    const auto size = static_cast<std::size_t>(bytes) + behind;
    if (memory_.size() < size) memory_ = Buffer<unsigned char>(size);
    std::memset(memory_.data(), 0xff, memory_.size());
    return memory_.data();
}

void CpuAsGpu::check_memory(std::int64_t bytes) const {
    const unsigned char* const end = memory_.data() + bytes;
    WHORL_REQUIRE(std::all_of(end, end + behind, [](unsigned char byte) { return byte == 0xff; }),
                  "a block wrote beyond its memory.");
}

void CpuAsGpu::finish() {
    const SeparateMemory::Opened opened;
    for (auto& round : rounds_)
        for (auto queue = round.rbegin(); queue != round.rend(); ++queue)
            for (const auto& work : *queue) work();
    rounds_.clear();
    begin_round();
}

} // namespace whorl::device

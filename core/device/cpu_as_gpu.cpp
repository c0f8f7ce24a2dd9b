#include "device/cpu_as_gpu.hpp"

#include <cstring>

namespace whorl::device {

unsigned char* CpuAsGpu::fresh_memory(std::int64_t bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    if (memory_.size() < size) memory_ = Buffer<unsigned char>(size);
    std::memset(memory_.data(), 0xff, memory_.size());
    return memory_.data();
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

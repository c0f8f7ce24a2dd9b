#include "device/cpu_as_gpu.hpp"

namespace whorl::device {

void CpuAsGpu::finish() {
    const SeparateMemory::Opened opened;
    for (auto& round : rounds_)
        for (auto queue = round.rbegin(); queue != round.rend(); ++queue)
            for (const auto& work : *queue) work();
    rounds_.clear();
    begin_round();
}

} // namespace whorl::device

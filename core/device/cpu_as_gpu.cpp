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

// Every queue waits for all work enqueued so far.
void CpuAsGpu::join() {
    std::array<std::int64_t, queue_count> ends{};
    for (int queue = 0; queue < queue_count; ++queue)
        ends[static_cast<std::size_t>(queue)] = queues_.end(queue);
    for (int queue = 0; queue < queue_count; ++queue)
        for (int other = 0; other < queue_count; ++other)
            if (other != queue) queues_.order(queue, other, ends[static_cast<std::size_t>(other)]);
}

void CpuAsGpu::finish() {
    for (int queue = queue_count - 1; queue >= 0; --queue) queues_.run(queue, queues_.end(queue));
}

} // namespace whorl::device

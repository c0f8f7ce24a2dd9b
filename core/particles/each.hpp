// Loops over particles: in blocks on the host's threads, or as rows of a GPU kernel.
#pragma once

#include "base/macros.hpp"
#include "particles/cloud.hpp"

namespace whorl::particles {

template <class Work> struct WorkKernel {
    static constexpr int together = 256;
    Work work;
    std::int64_t count = 0;

    struct Row {
        const WorkKernel& kernel;
        std::int64_t first;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            kernel.work(static_cast<std::size_t>(first + i));
        }
    };
    std::int64_t rows() const { return (count + together - 1) / together; }
    WHORL_INLINE Row row(std::int64_t r) const {
        const std::int64_t first = r * together, left = count - first;
        return {*this, first, static_cast<int>(left < together ? left : together)};
    }
};

// Calls work(i), which is copied, for i = 0, ..., count - 1. All calls are done when it returns.
template <class Device, class Work>
void for_all(Device& device, const device::Cpu& host, std::size_t count, const Work& work) {
    if constexpr (Device::queues) {
        if (count == 0) return;
        const WorkKernel<Work> kernel{work, static_cast<std::int64_t>(count)};
        device.over(kernel.rows(), kernel);
        device.finish();
    } else {
        in_parts(host, count, work);
    }
}

} // namespace whorl::particles

// The values of a buffer where the host may change them: its own, or a copy of a device's.
#pragma once

#include <span>
#include <vector>

#include "device/buffer.hpp"

namespace whorl::programs {

template <class T, class Memory> class OnHost {
  public:
    explicit OnHost(device::Buffer<T, Memory>& buffer) {
        if constexpr (Memory::separate) {
            copy_.resize(buffer.size());
            Memory::to_host(copy_.data(), buffer.data(), buffer.bytes());
            values_ = copy_;
        } else {
            values_ = buffer.values();
        }
    }
    OnHost(const OnHost&) = delete;
    OnHost& operator=(const OnHost&) = delete;

    std::span<T> values() const { return values_; }

  private:
    std::vector<T> copy_;
    std::span<T> values_;
};

// The sum of equal parts, one behind another, in place of the first.
inline std::span<std::uint64_t> first_of_sums(std::span<std::uint64_t> parts, std::size_t size) {
    const auto total = parts.first(size);
    for (std::size_t i = size; i < parts.size(); ++i) total[i % size] += parts[i];
    return total;
}

} // namespace whorl::programs

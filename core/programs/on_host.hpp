// Results of a device in memory that the host may change, and their sums over executors and ranks.
#pragma once

#include <span>
#include <vector>

#include "base/exact_sum.hpp"
#include "device/buffer.hpp"
#include "exchange/communicator.hpp"

namespace whorl::programs {

// The values of a buffer: its own, or a copy of a device's.
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

// The sum of parts of equal size, which follow each other. It is stored in place of the first.
inline std::span<std::uint64_t> first_of_sums(std::span<std::uint64_t> parts, std::size_t size) {
    const auto total = parts.first(size);
    for (std::size_t i = size; i < parts.size(); ++i) total[i % size] += parts[i];
    return total;
}

// The sums over all ranks, whose words follow each other, in one exchange. Collective.
inline std::vector<double> sums_of_ranks(const exchange::Communicator& world,
                                         std::span<std::uint64_t> words) {
    constexpr auto count = static_cast<std::size_t>(ExactSum::word_count);
    std::vector<double> sums;
    if (words.empty()) return sums;
    carry(words);
    world.sum(words);
    for (std::size_t first = 0; first < words.size(); first += count)
        sums.push_back(ExactSum(words.data() + first).value());
    return sums;
}

} // namespace whorl::programs

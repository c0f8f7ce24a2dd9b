// Bytes of the buffers of this process in one kind of memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace whorl::device {

template <class Memory> struct InUse {
    static inline std::atomic<std::int64_t> now{0}, most{0}; // most since the last Peak began

    static void add(std::int64_t bytes) noexcept {
        const std::int64_t sum = now.fetch_add(bytes, std::memory_order_relaxed) + bytes;
        if (sum > most.load(std::memory_order_relaxed)) most.store(sum, std::memory_order_relaxed);
    }
};

// The bytes of buffers beyond those that existed when it was made. One may be made within another.
template <class Memory> class Peak {
  public:
    Peak() : begin_(InUse<Memory>::now), before_(InUse<Memory>::most.exchange(begin_)) {}
    ~Peak() { InUse<Memory>::most = std::max<std::int64_t>(before_, InUse<Memory>::most); }
    Peak(const Peak&) = delete;
    Peak& operator=(const Peak&) = delete;

    std::int64_t most() const { return InUse<Memory>::most - begin_; } // at a time
    std::int64_t now() const { return InUse<Memory>::now - begin_; }

  private:
    std::int64_t begin_, before_;
};

} // namespace whorl::device

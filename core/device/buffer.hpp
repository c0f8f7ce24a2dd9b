// Owned memory of a device: allocated once, zeroed, never resized; moves but does not copy. Its kind of
// memory is a class with allocate, release, and copies from and to the host's memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace whorl::device {

// Bytes of the buffers of this process in one kind of memory.
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

// Memory aligned to 64 bytes (if large, on huge pages) and zeroed. Throws Error naming the bytes when the
// system refuses.
void* allocate(std::size_t bytes, int threads);
// Zeroes with the threads that will use the memory: a page lies near the thread that touches it first.
void zero(void* memory, std::size_t bytes, int threads);
void release(void* memory, std::size_t bytes) noexcept;
// The number of allocations in any memory since the process began, for tests that nothing is allocated.
std::int64_t allocations() noexcept;
void count_allocation() noexcept;

struct HostMemory {
    static constexpr bool separate = false; // from memory that the host's code may touch
    static constexpr bool of_gpu = false;
    using Exchanged = HostMemory; // memory that other processes reach
    static void* allocate(std::size_t bytes, int threads) { return device::allocate(bytes, threads); }
    static void release(void* memory, std::size_t bytes) noexcept { device::release(memory, bytes); }
    static void from_host(void* to, const void* from, std::size_t bytes) {
        if (bytes > 0) std::memcpy(to, from, bytes);
    }
    static void to_host(void* to, const void* from, std::size_t bytes) { from_host(to, from, bytes); }
    static void share() {} // with libraries that access it themselves
};

template <class T, class Memory = HostMemory> class Buffer {
  public:
    Buffer() = default;
    // Host memory is zeroed by `threads` threads.
    explicit Buffer(std::size_t size, int threads = 1)
        : size_(size), data_(static_cast<T*>(allocate(size * sizeof(T), threads))) {
        InUse<Memory>::add(static_cast<std::int64_t>(bytes()));
    }
    ~Buffer() {
        Memory::release(data_, bytes());
        InUse<Memory>::add(-static_cast<std::int64_t>(bytes()));
    }
    Buffer(Buffer&& other) noexcept
        : size_(std::exchange(other.size_, 0)), data_(std::exchange(other.data_, nullptr)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(size_, other.size_);
        std::swap(data_, other.data_);
        return *this;
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    // The values, if they are in the host's own memory.
    std::span<T> values()
        requires(!Memory::separate)
    {
        return {data_, size_};
    }
    std::size_t bytes() const { return size_ * sizeof(T); }

  private:
    static void* allocate(std::size_t bytes, [[maybe_unused]] int threads) {
        if constexpr (requires { Memory::allocate(bytes, threads); })
            return Memory::allocate(bytes, threads);
        else
            return Memory::allocate(bytes);
    }
    std::size_t size_ = 0;
    T* data_ = nullptr;
};

template <class T, class Memory> Buffer<T, Memory> copied(std::span<const T> values) {
    Buffer<T, Memory> copy(values.size());
    Memory::from_host(copy.data(), values.data(), copy.bytes());
    return copy;
}

// A table of the host as a device reads it: the host's own, which must outlive it, or a copy on the device.
template <class T, class Memory> class Table {
  public:
    Table() = default;
    explicit Table(std::span<const T> of) : data_(of.data()) {
        if constexpr (Memory::separate) {
            copy_ = copied<T, Memory>(of);
            data_ = copy_.data();
        }
    }
    const T* data() const { return data_; }
    // Takes new values of the same table, once nothing on the device reads the old ones.
    void refresh(std::span<const T> of) {
        if constexpr (Memory::separate) Memory::from_host(copy_.data(), of.data(), copy_.bytes());
    }

  private:
    Buffer<T, Memory> copy_;
    const T* data_ = nullptr;
};

} // namespace whorl::device

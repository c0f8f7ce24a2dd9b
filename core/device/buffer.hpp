// Owned memory of a device: allocated once, zeroed, never resized; moves but does not copy. What kind of
// memory it is says a class with allocate, release, and copies from and to the host's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace whorl::device {

// 64-byte aligned (large blocks on huge pages), zeroed.
// Throws Error naming the bytes when the system refuses.
void* allocate(std::size_t bytes, int threads);
// By so many threads, those that will work with it: pages lie near whoever touches them first.
void zero(void* memory, std::size_t bytes, int threads);
void release(void* memory, std::size_t bytes) noexcept;
// Blocks handed out by any memory's allocate() since the process began: what the no-allocation tests watch.
std::int64_t allocations() noexcept;
void count_allocation() noexcept;

struct HostMemory {
    static constexpr bool separate = false; // from what the host's code may touch
    static constexpr bool of_gpu = false;
    using Exchanged = HostMemory; // what other processes' libraries reach
    static void* allocate(std::size_t bytes, int threads) { return device::allocate(bytes, threads); }
    static void release(void* memory, std::size_t bytes) noexcept { device::release(memory, bytes); }
    static void from_host(void* to, const void* from, std::size_t bytes) {
        if (bytes > 0) std::memcpy(to, from, bytes);
    }
    static void to_host(void* to, const void* from, std::size_t bytes) { from_host(to, from, bytes); }
    static void share() {} // with libraries of the host that reach it by themselves
};

template <class T, class Memory = HostMemory> class Buffer {
  public:
    Buffer() = default;
    // Memory of the host is zeroed by so many threads.
    explicit Buffer(std::size_t size, int threads = 1)
        : size_(size), data_(static_cast<T*>(allocate(size * sizeof(T), threads))) {}
    ~Buffer() { Memory::release(data_, bytes()); }
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

template <class T, class Memory> Buffer<T, Memory> copied(const std::vector<T>& values) {
    Buffer<T, Memory> copy(values.size());
    Memory::from_host(copy.data(), values.data(), copy.bytes());
    return copy;
}

// A table of the host's, which must stay, as a device reads it: itself, or a copy in the device's memory.
template <class T, class Memory> class Table {
  public:
    Table() = default;
    explicit Table(const std::vector<T>& of) : data_(of.data()) {
        if constexpr (Memory::separate) {
            copy_ = copied<T, Memory>(of);
            data_ = copy_.data();
        }
    }
    const T* data() const { return data_; }

  private:
    Buffer<T, Memory> copy_;
    const T* data_ = nullptr;
};

} // namespace whorl::device

// Owned device memory: allocated once, zeroed, never resized; moves but does not copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace whorl::device {

// 64-byte aligned (large blocks on huge pages), zeroed.
// Throws Error naming the bytes when the system refuses.
void* allocate(std::size_t bytes);
// By all threads, so that pages lie near their users.
void zero(void* memory, std::size_t bytes);
void release(void* memory, std::size_t bytes) noexcept;
// Blocks handed out by allocate() since the process began: what the no-allocation tests watch.
std::int64_t allocations() noexcept;

template <class T> class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(std::size_t size) : size_(size), data_(static_cast<T*>(allocate(size * sizeof(T)))) {}
    ~Buffer() { release(data_, bytes()); }
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
    std::size_t size_ = 0;
    T* data_ = nullptr;
};

} // namespace whorl::device

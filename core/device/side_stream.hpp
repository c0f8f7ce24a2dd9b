// A device's part in exchanges: the set-up of their threads, and a stream in addition to those of the
// executors, for copies and messages while these work. Marks order its work and theirs without the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace whorl::device {

// Sets up a host thread before it uses the device's memory. A device sets it when it is made. Each thread but
// the one that made the device calls it, if it is set.
inline std::function<void()> thread_setup;

class SideStream {
  public:
    using Mark = std::int64_t;
    virtual ~SideStream() = default;

    // The end of all work given to the executors so far, for one call of follow(). Work that is enqueued here
    // after that runs after it.
    virtual Mark executors() = 0;
    virtual void follow(Mark executors) = 0;
    // The end of all work enqueued here so far. Work that executors get after lead() runs after it.
    virtual Mark mark() = 0;
    virtual void lead(Mark mark) = 0;
    // Returns when all work before a mark has ended. Calls `meanwhile`, if given, which may throw.
    virtual void wait(Mark mark, const std::function<void()>& meanwhile = {}) = 0;

    // Copies between the device's memory and host memory that the device reaches by itself, and within the
    // device's memory.
    virtual void to_host(void* to, const void* from, std::size_t bytes) = 0;
    virtual void from_host(void* to, const void* from, std::size_t bytes) = 0;
    virtual void within(void* to, const void* from, std::size_t bytes) = 0;
    // The stream as libraries of the device need it; null if the device has none.
    virtual void* handle() { return nullptr; }
};

} // namespace whorl::device

// A queue beside those of the executors, for copies and messages that go on while they work. What it does and
// what they do are ordered by marks, without the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace whorl::device {

class SideQueue {
  public:
    using Mark = std::int64_t;
    virtual ~SideQueue() = default;

    // The end of all that executors have been given so far, for one call of follow(): what is enqueued here
    // after that runs after it.
    virtual Mark executors() = 0;
    virtual void follow(Mark executors) = 0;
    // The end of all that has been enqueued here so far. What executors are given after lead() runs after it.
    virtual Mark mark() = 0;
    virtual void lead(Mark mark) = 0;
    // Returns when all before a mark has ended. Calls `meanwhile`, if there is one, which may throw.
    virtual void wait(Mark mark, const std::function<void()>& meanwhile = {}) = 0;

    // Copies between the device's memory and the host's that the device reaches by itself, and within its
    // own.
    virtual void to_host(void* to, const void* from, std::size_t bytes) = 0;
    virtual void from_host(void* to, const void* from, std::size_t bytes) = 0;
    virtual void within(void* to, const void* from, std::size_t bytes) = 0;
    // The queue as libraries of the device take it; null where there are none.
    virtual void* handle() { return nullptr; }
};

} // namespace whorl::device

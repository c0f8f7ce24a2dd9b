// A scope of an executor's timers. On a GPU it waits for the device at its beginning and end, so that it
// counts the work enqueued in it.
#pragma once

#include <exception>
#include <utility>

#include "base/timer.hpp"

namespace whorl {

template <class Device> class Timed {
  public:
    // An error at its end is kept in `failure`, unless that has one already, for a call that can throw it.
    Timed(Device& device, Timers& timers, std::exception_ptr& failure, Task task)
        : device_(device), timers_(timers), failure_(failure), scope_(ready(), task) {}
    ~Timed() {
        try {
            ready();
        } catch (...) {
            if (!failure_) failure_ = std::current_exception();
        }
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

  private:
    Timers& ready() const {
        if (timers_.enabled) device_.finish();
        return timers_;
    }
    Device& device_;
    Timers& timers_;
    std::exception_ptr& failure_;
    Timers::Scope scope_;
};

inline void throw_if(std::exception_ptr& failure) {
    if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
}

} // namespace whorl

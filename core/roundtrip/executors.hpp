// The executors of a round trip, threads of a CPU or streams of a GPU: the memory each works in, its layout
// (roundtrip/workspace.hpp), and the seconds each spends on each task.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/complex.hpp"
#include "base/timer.hpp"
#include "device/buffer.hpp"
#include "device/line_plan.hpp"
#include "roundtrip/workspace.hpp"

namespace whorl {

// A scope of an executor's timers. On a GPU it waits for the device at its beginning and end, so that it
// counts the work enqueued in it.
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

template <class Device, class Real> class Executors {
  public:
    using Value = Complex<Real>;
    using Plan = typename Device::template LinePlan<Real>;

    Executors(const Layout& layout, Device& device, const Workspace& given)
        : workspace(given), layout_(layout), device_(device),
          all_(static_cast<std::size_t>(device.executors())) {}

    Workspace workspace;
    std::exception_ptr failure; // an error of the device, caught where it could not be thrown

    // Allocates the memory of this workspace; its former contents are lost.
    void take(const Workspace& given);

    Value* space(int executor) { return of(executor).memory.data(); }
    // Scratch memory for the transforms of lines.
    Value* scratch(int executor) { return space(executor) + workspace.scratch_begin; }
    // The memory after the plane, for x lines and later for contracted rows.
    Value* behind_plane(int executor) { return space(executor) + workspace.plane; }
    // On a GPU: transforms lines where they lie.
    void transform(int executor, const Plan& lines, Value* data);
    // Addresses of the rows of the present lines, and of the next.
    std::vector<device::LineRow<Real>>& rows(int executor) { return of(executor).rows; }
    std::vector<device::LineRow<Real>>& next_rows(int executor) { return of(executor).next_rows; }

    // The time until the end of the scope counts for this task.
    Timed<Device> timed(int executor, Task task) { return {device_, of(executor).timers, failure, task}; }
    Timers& timers(int executor) { return of(executor).timers; }
    // Seconds by task: the mean over threads, the sum over streams.
    std::map<Task, double> seconds() const;
    void reset(bool timed);
    std::int64_t bytes() const;

  private:
    struct Executor {
        device::Buffer<Value, typename Device::Memory> memory;
        std::vector<device::LineRow<Real>> rows, next_rows;
        Timers timers;
    };
    Executor& of(int executor) { return all_[static_cast<std::size_t>(executor)]; }

    const Layout& layout_;
    Device& device_;
    std::vector<Executor> all_;
};

} // namespace whorl

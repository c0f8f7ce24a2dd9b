// The executors of a round trip, the threads of a CPU or the queue of a GPU: the memory each works in, how it
// is parted (roundtrip/workspace.hpp), and how long each was at what.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "base/complex.hpp"
#include "base/timer.hpp"
#include "device/buffer.hpp"
#include "device/line_plan.hpp"
#include "roundtrip/timed.hpp"
#include "roundtrip/workspace.hpp"

namespace whorl {

template <class Device, class Real> class Executors {
  public:
    using Value = Complex<Real>;
    using Plan = typename Device::template LinePlan<Real>;

    Executors(const Layout& layout, Device& device, const Workspace& parted)
        : workspace(parted), layout_(layout), device_(device),
          all_(static_cast<std::size_t>(device.executors())) {}

    Workspace workspace;
    std::exception_ptr failure; // of the device, met where nothing could be thrown

    // Memory for a workspace parted like this; what was in it is lost.
    void take(const Workspace& parted);

    Value* space(int executor) { return of(executor).memory.data(); }
    // What lines are lent while they are transformed.
    Value* lent(int executor) { return space(executor) + workspace.lent; }
    // Behind the plane: x lines in hand, later the contracted rows.
    Value* behind_plane(int executor) { return space(executor) + workspace.plane; }
    // Places of the rows of the lines in hand, and of the next.
    std::vector<device::LineRow<Real>>& rows(int executor) { return of(executor).rows; }
    std::vector<device::LineRow<Real>>& next_rows(int executor) { return of(executor).next_rows; }

    // Until it goes out of scope the executor is at this task.
    Timed<Device> timed(int executor, Task task) { return {device_, of(executor).timers, failure, task}; }
    Timers& timers(int executor) { return of(executor).timers; }
    // Seconds by task, mean over executors.
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

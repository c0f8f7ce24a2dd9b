// Compiled once for each device.
#include "roundtrip/executors.hpp"

#include <algorithm>

#include "device/chosen.hpp"

namespace whorl {

template <class Device, class Real> void Executors<Device, Real>::take(const Workspace& given) {
    workspace = given;
    for (Executor& executor : all_) {
        executor.memory = {}; // freed before the new memory is allocated
        executor.memory = device::Buffer<Value, typename Device::Memory>(
            static_cast<std::size_t>(workspace.size()), device_.executors());
        for (auto* rows : {&executor.rows, &executor.next_rows})
            rows->resize(static_cast<std::size_t>(std::max(layout_.ny, layout_.nz)));
    }
}

template <class Device, class Real>
void Executors<Device, Real>::transform(int executor, const Plan& lines, Value* data) {
    if constexpr (Device::streams) device_.transform(executor, lines, data, scratch(executor));
}

template <class Device, class Real> std::map<Task, double> Executors<Device, Real>::seconds() const {
    device_.finish();
    Timers sum;
    for (const Executor& executor : all_) sum.add(executor.timers);
    // Scopes of streams do not overlap: each ends when the device has finished.
    const double executors = Device::streams ? 1.0 : static_cast<double>(all_.size());
    std::map<Task, double> seconds;
    for (const Task task :
         {Task::x_lines, Task::y_lines, Task::z_lines, Task::pack, Task::point, Task::modes})
        seconds[task] = sum.seconds(task) / executors;
    return seconds;
}

template <class Device, class Real> void Executors<Device, Real>::reset(bool timed) {
    for (Executor& executor : all_) {
        executor.timers.reset();
        executor.timers.enabled = timed;
    }
}

template <class Device, class Real> std::int64_t Executors<Device, Real>::bytes() const {
    std::size_t bytes = 0;
    for (const Executor& executor : all_) bytes += executor.memory.bytes();
    return static_cast<std::int64_t>(bytes);
}

template class Executors<device::Chosen, float>;
template class Executors<device::Chosen, double>;

} // namespace whorl

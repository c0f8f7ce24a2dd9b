// Compiled once for each device.
#include "roundtrip/roundtrip.hpp"

#include <cmath>
#include <limits>

#include "base/maximum.hpp"
#include "device/chosen.hpp"
#include "roundtrip/line_trials.hpp"

namespace whorl {

namespace {

// 1 / (nx ny nz), with doubled axes between walls.
double scale_of(const Box& box) {
    return 1.0 / (static_cast<double>(box.total_points()) * (1 << box.walled_axes()));
}

} // namespace

template <class Device, class Real>
RoundTrip<Device, Real>::RoundTrip(const Box& box, const Truncation& truncation,
                                   const RoundTripOptions& options, const exchange::Communicator& world,
                                   Device& device)
    : pencils_(box, truncation, options.grid),
      layout_(box, truncation, pencils_, world.rank(), options.batches, options.column_variables,
              options.row_variables, exchange::traits_of(options.exchange.transport), Device::streams),
      table_(box, truncation, pencils_, layout_.row_index, layout_.column_index), device_(device),
      world_(world), options_(options), lines_(options.lines),
      modes_(box, truncation, layout_, table_, device),
      executors_(layout_, device, workspace_of<Device, Real>(device, layout_, options)),
      exchanges_(layout_, options.exchange, world, device, executors_.failure), columns_(context()),
      planes_(context()), rows_(context(), scale_of(box)) {
    if constexpr (Device::streams) {
        device.choose(options.blocks);
        make_plans(options.lines);
    } else
        make_plans(LineTrials<Device, Real>(*this).fastest());
}

template <class Device, class Real> void RoundTrip<Device, Real>::make_plans(const LineChoice& choice) {
    options_.lines = lines_ = choice;
    const Workspace workspace = workspace_of<Device, Real>(device_, layout_, options_);
    if constexpr (!Device::streams) lines_.columns = workspace.columns;
    executors_.take(workspace);
    columns_.make_plans(choice);
    planes_.make_plans(choice);
    rows_.make_plans(choice, planes_.group_sizes());
}

template <class Device, class Real>
std::array<double, 2> RoundTrip<Device, Real>::reduce_maxima(bool wanted) {
    if (!wanted) return {0.0, 0.0};
    std::array<double, 2> largest = device_.raised();
    {
        const exchange::Watchdog::Scope watched(exchanges_.watchdog(), "reduction behind the exchange",
                                                layout_.batches - 1);
        world_.maximum(largest);
    }
    const double spoilt = std::numeric_limits<double>::quiet_NaN();
    return std::isnan(larger(largest[0], largest[1])) ? std::array{spoilt, spoilt} : largest;
}

template <class Device, class Real>
std::map<std::string, std::int64_t> RoundTrip<Device, Real>::memory() const {
    std::map<std::string, std::int64_t> bytes = exchanges_.memory();
    bytes["workspace"] = executors_.bytes();
    bytes["tables"] = table_bytes(layout_, sizeof(Complex<Real>), Device::streams);
    if constexpr (Device::streams)
        if (device_.bytes() > 0) bytes["library"] = device_.bytes();
    return bytes;
}

template <class Device, class Real> std::map<std::string, double> RoundTrip<Device, Real>::timings() const {
    std::map<std::string, double> seconds;
    double known = 0.0;
    for (const auto& [task, value] : executors_.seconds()) {
        seconds[task_names[static_cast<std::size_t>(task)]] = value;
        known += value;
    }
    const Timers& timer = exchanges_.timer();
    seconds["transforms"] = seconds["x_lines"] + seconds["y_lines"] + seconds["z_lines"];
    seconds["row"] = timer.seconds(Task::row);
    seconds["column"] = timer.seconds(Task::column);
    seconds["exchange"] = seconds["row"] + seconds["column"];
    seconds["total"] = timer.seconds(Task::total);
    seconds["other"] = seconds["total"] - seconds["exchange"] - known;
    return seconds;
}

template <class Device, class Real> void RoundTrip<Device, Real>::time(bool enabled) {
    exchanges_.reset(enabled);
    executors_.reset(enabled);
}

template class RoundTrip<device::Chosen, float>;
template class RoundTrip<device::Chosen, double>;

} // namespace whorl

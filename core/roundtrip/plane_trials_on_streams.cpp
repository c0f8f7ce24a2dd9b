// Compiled once for each device with streams.
#include <algorithm>
#include <chrono>
#include <limits>

#include "device/chosen.hpp"
#include "roundtrip/plane_trials.hpp"
#include "roundtrip/roundtrip.hpp"

namespace whorl {

template <class Device, class Real>
std::vector<PlaneTrial>
PlaneTrials<Device, Real>::fastest_first(const std::function<void()>& right_hand_side) {
    RoundTripOptions options = trip_.options_;
    std::vector<PlaneTrial> trials;
    for (const std::int64_t bytes :
         {Workspace::most_of_stream, options.second_cache / device::stream_count}) {
        options.plane_bytes = bytes;
        const Workspace workspace = workspace_of<Device, Real>(trip_.device_, trip_.layout_, options);
        trials.push_back({bytes, workspace.planes, 0.0});
    }
    if (!open(trials)) return {{trip_.options_.plane_bytes, trip_.executors_.workspace.planes, 0.0}};
    for (PlaneTrial& trial : trials) {
        take(trial.bytes);
        trial.seconds = time(right_hand_side);
    }
    std::ranges::stable_sort(trials, {}, &PlaneTrial::seconds);
    if (trip_.options_.plane_bytes != trials.front().bytes) take(trials.front().bytes);
    trip_.time(false); // forgets the messages of the trials
    return trials;
}

// Ranks take part in all right-hand sides or in none.
template <class Device, class Real>
bool PlaneTrials<Device, Real>::open(const std::vector<PlaneTrial>& trials) const {
    if (trip_.options_.planes > 0 || trip_.options_.plane_bytes > 0) return false;
    return trip_.world_.any(trials.front().planes != trials.back().planes);
}

template <class Device, class Real> void PlaneTrials<Device, Real>::take(std::int64_t bytes) {
    trip_.device_.finish();
    trip_.device_.forget_plans();
    trip_.options_.plane_bytes = bytes;
    trip_.make_plans(trip_.lines_);
}

// The shortest time of a few right-hand sides, after one that warms up. A single one is enough if it is long.
template <class Device, class Real>
double PlaneTrials<Device, Real>::time(const std::function<void()>& right_hand_side) {
    using Clock = std::chrono::steady_clock;
    constexpr int times = 3;
    constexpr double is_long = 1.0; // second
    double shortest = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= times; ++i) {
        trip_.device_.finish();
        const auto start = Clock::now();
        right_hand_side();
        trip_.device_.finish();
        std::array<double, 1> seconds{std::chrono::duration<double>(Clock::now() - start).count()};
        {
            const exchange::Watchdog::Scope watched(trip_.exchanges_.watchdog(), "agreement of the ranks",
                                                    -1);
            trip_.world_.maximum(seconds);
        }
        if (i > 0 || seconds[0] > is_long) shortest = std::min(shortest, seconds[0]);
        if (seconds[0] > is_long) break;
    }
    return shortest;
}

template class PlaneTrials<device::Chosen, float>;
template class PlaneTrials<device::Chosen, double>;

} // namespace whorl

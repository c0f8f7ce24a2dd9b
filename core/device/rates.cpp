// The two rates of this machine from which the floor of a pass is computed (docs/performance.md).
#include "device/rates.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "device/buffer.hpp"
#include "device/cpu.hpp"
#include "device/lane_plan.hpp"
#include "device/line_plan.hpp"

namespace whorl::device {

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// The best of `trials` trials of about 20 ms, in calls of `work` per second by all executors at once. The
// calls of a trial are increased until they take long enough; then two trials are not counted, since an idle
// thread may start ten milliseconds late.
template <class Work> double best_rate(const Cpu& cpu, const Slowest& slowest, int trials, const Work& work) {
    constexpr double of_a_trial = 0.02;
    constexpr double long_enough = 0.005;
    constexpr int not_counted = 2;
    const auto seconds_of = [&](std::int64_t repeats) {
        const auto start = Clock::now();
        cpu.each(cpu.executors(), [&](int executor, std::int64_t) {
            for (std::int64_t i = 0; i < repeats; ++i) work(executor);
        });
        return slowest(seconds_since(start));
    };
    std::int64_t repeats = 1;
    double seconds = seconds_of(repeats);
    for (; seconds < long_enough; seconds = seconds_of(repeats)) repeats *= 8;
    repeats = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(of_a_trial * static_cast<double>(repeats) / seconds));
    double best = 0.0;
    for (int trial = -not_counted; trial < trials; ++trial) {
        const double rate = static_cast<double>(repeats) * cpu.executors() / seconds_of(repeats);
        if (trial >= 0) best = std::max(best, rate);
    }
    return best;
}

// The best of a few shapes that stay in cache: lines one after another, and side by side.
template <class Real> double line_rate_of(int n, int threads, const Slowest& slowest, int trials) {
    const Cpu cpu(threads);
    constexpr int lanes = 2 * LanePlan<Real>::half_lanes;
    double best = 0.0;
    for (const LineShape shape :
         {LineShape{n, 1, 1, n}, LineShape{n, 8, 1, n + 8}, LineShape{n, lanes, lanes, 1}}) {
        const auto lines = LinePlan<Real>::make(LineKind::own, shape, Direction::forward);
        std::vector<Buffer<Complex<Real>>> data; // zeroes, whose transforms stay finite
        std::vector<Buffer<Complex<Real>>> scratch;
        for (int i = 0; i < cpu.executors(); ++i) {
            data.emplace_back(static_cast<std::size_t>(shape.extent()));
            scratch.emplace_back(static_cast<std::size_t>(lines->scratch(n)));
        }
        const double rate = best_rate(cpu, slowest, trials, [&](int executor) {
            const auto i = static_cast<std::size_t>(executor);
            lines->execute(data[i].data(), scratch[i].data());
        });
        best = std::max(best, rate * shape.howmany * 5.0 * n * std::log2(n));
    }
    return best;
}

} // namespace

double line_rate(int n, const std::string& precision, int threads, const Slowest& slowest, int trials) {
    return precision == "single" ? line_rate_of<float>(n, threads, slowest, trials)
                                 : line_rate_of<double>(n, threads, slowest, trials);
}

Copies::Copies(int threads)
    : threads_(threads), from_(size, Cpu(threads).executors()), to_(size, Cpu(threads).executors()) {
    copy(); // the first copy is slow
}

double Copies::bandwidth(const Slowest& slowest, int trials) {
    double best = 0.0;
    for (int trial = 0; trial < trials; ++trial) {
        const auto start = Clock::now();
        copy();
        const double seconds = slowest(seconds_since(start));
        best = std::max(best, 2.0 * sizeof(double) * static_cast<double>(size) / seconds);
    }
    return best;
}

// Copies in the way in which whorl writes data that it does not read soon: without fetching the old contents,
// which do not count.
void Copies::copy() {
    constexpr std::int64_t range = std::int64_t{1} << 17;
    Cpu(threads_).each(size / range, [&](int, std::int64_t i) {
        Cpu::copy_past_caches(to_.data() + i * range, from_.data() + i * range, range * sizeof(double));
    });
}

} // namespace whorl::device

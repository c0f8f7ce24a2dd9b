#include "device/lane_steps.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace whorl::device {

template <class Real> LaneSteps<Real>::LaneSteps(int n, Order order) : n_(n) {
    std::vector<int> all = radices(n, largest_own_radix);
    if (order == Order::falling) std::ranges::reverse(all);
    if (order == Order::falling && all.size() == 1) all.push_back(1);
    last_radix_ = all.back();
    results_ = {0};
    int m = n, spread = 1;
    for (auto radix = all.begin(); radix + 1 != all.end(); ++radix) {
        Step step{*radix, m / *radix, {}};
        for (int p = 0; p < step.m; ++p)
            for (int u = 1; u < step.radix; ++u) {
                const double angle = 2.0 * std::numbers::pi * p * u / m;
                step.twiddles.push_back(static_cast<Real>(std::cos(angle)));
                step.twiddles.push_back(static_cast<Real>(std::sin(angle)));
            }
        // Line u of this step holds the results u + radix times those of its own lines.
        std::vector<int> results;
        for (const int result : results_)
            for (int u = 0; u < step.radix; ++u) results.push_back(result + spread * u);
        results_ = std::move(results);
        spread *= step.radix;
        m = step.m;
        steps_.push_back(std::move(step));
    }
}

template <class Real> std::vector<int> LaneSteps<Real>::positions() const {
    const int groups = n_ / last_radix_;
    std::vector<int> positions(static_cast<std::size_t>(n_));
    for (int group = 0; group < groups; ++group)
        for (int u = 0; u < last_radix_; ++u)
            positions[static_cast<std::size_t>(result(group) + groups * u)] = group * last_radix_ + u;
    return positions;
}

template class LaneSteps<float>;
template class LaneSteps<double>;

} // namespace whorl::device

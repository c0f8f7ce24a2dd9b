#include "device/lane_passes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace whorl::device {

template <class Real> LanePasses<Real>::LanePasses(int n, Order order) : n_(n) {
    std::vector<int> all = radices(n, largest_own_radix);
    if (order == Order::falling) std::ranges::reverse(all);
    if (order == Order::falling && all.size() == 1) all.push_back(1);
    last_radix_ = all.back();
    places_ = {0};
    int m = n, spread = 1;
    for (auto radix = all.begin(); radix + 1 != all.end(); ++radix) {
        Pass pass{*radix, m / *radix, {}};
        for (int p = 0; p < pass.m; ++p)
            for (int u = 1; u < pass.radix; ++u) {
                const double angle = 2.0 * std::numbers::pi * p * u / m;
                pass.twiddles.push_back(static_cast<Real>(std::cos(angle)));
                pass.twiddles.push_back(static_cast<Real>(std::sin(angle)));
            }
        // Line u of this pass holds the results u + r (those of its own lines).
        std::vector<int> places;
        for (const int place : places_)
            for (int u = 0; u < pass.radix; ++u) places.push_back(place + spread * u);
        places_ = std::move(places);
        spread *= pass.radix;
        m = pass.m;
        passes_.push_back(std::move(pass));
    }
}

template <class Real> std::vector<int> LanePasses<Real>::slots() const {
    const int groups = n_ / last_radix_;
    std::vector<int> slots(static_cast<std::size_t>(n_));
    for (int group = 0; group < groups; ++group)
        for (int u = 0; u < last_radix_; ++u)
            slots[static_cast<std::size_t>(place(group) + groups * u)] = group * last_radix_ + u;
    return slots;
}

template class LanePasses<float>;
template class LanePasses<double>;

} // namespace whorl::device

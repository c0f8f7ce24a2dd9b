#include "device/fold.hpp"

#include <cmath>
#include <numbers>

namespace whorl::device {

template <class Real> std::vector<Real> fold_twiddles(int n) {
    std::vector<Real> twiddles;
    for (int k = 0; k < n; ++k) {
        const double angle = std::numbers::pi * k / (2.0 * n);
        twiddles.push_back(static_cast<Real>(std::cos(angle)));
        twiddles.push_back(static_cast<Real>(std::sin(angle)));
    }
    return twiddles;
}

template std::vector<float> fold_twiddles(int);
template std::vector<double> fold_twiddles(int);

} // namespace whorl::device

#include "device/wall_lines.hpp"

#include <cmath>
#include <numbers>

namespace whorl::device {

template <class Real> WallFold<Real>::WallFold(int n) : n_(n) {
    for (int k = 0; k < n; ++k) {
        const double angle = std::numbers::pi * k / (2.0 * n);
        turns_.push_back(static_cast<Real>(std::cos(angle)));
        turns_.push_back(static_cast<Real>(std::sin(angle)));
    }
}

template class WallFold<float>;
template class WallFold<double>;

} // namespace whorl::device

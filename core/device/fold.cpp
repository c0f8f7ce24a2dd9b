#include "device/fold.hpp"

#include <cmath>
#include <numbers>

namespace whorl::device {

template <class Real> std::vector<Real> fold_turns(int n) {
    std::vector<Real> turns;
    for (int k = 0; k < n; ++k) {
        const double angle = std::numbers::pi * k / (2.0 * n);
        turns.push_back(static_cast<Real>(std::cos(angle)));
        turns.push_back(static_cast<Real>(std::sin(angle)));
    }
    return turns;
}

template std::vector<float> fold_turns(int);
template std::vector<double> fold_turns(int);

} // namespace whorl::device

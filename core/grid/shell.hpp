// Shell n of a spectrum holds |k| / k_min in [n - 1/2, n + 1/2), k_min the smallest wavenumber of the box.
#pragma once

#include "base/macros.hpp"

namespace whorl {

// If lengths have a ratio such as 3 to 2, some modes lie exactly on a boundary: they belong to the upper
// shell, independent of rounding in single precision.
WHORL_INLINE int shell_number(double k, double smallest_wavenumber) {
    constexpr double rounding = 2e-7;
    return static_cast<int>(k / smallest_wavenumber * (1.0 + rounding) + 0.5);
}

} // namespace whorl

// Shell n of a spectrum holds |k| / k_min in [n - 1/2, n + 1/2), k_min the smallest wavenumber of the box.
#pragma once

#include "base/macros.hpp"

namespace whorl {

// Modes often lie exactly on a boundary, for example if lengths have a ratio such as 3 to 2. They belong to
// the shell above it, whatever rounding does to their wavenumbers in single precision.
inline constexpr double rounding_of_wavenumbers = 2e-7;

WHORL_INLINE int shell_number(double k, double smallest_wavenumber) {
    return static_cast<int>(k / smallest_wavenumber * (1.0 + rounding_of_wavenumbers) + 0.5);
}

// The square from which on modes have |k| >= k.
inline double square_of_boundary(double k) { return k * k * (1.0 - 2.0 * rounding_of_wavenumbers); }

} // namespace whorl

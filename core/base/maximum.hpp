// The larger of two numbers, or NaN if one of them is NaN: a maximum must show that a field is no longer
// finite, and comparisons, std::max and MPI_MAX drop NaN.
#pragma once

#include "base/macros.hpp"

namespace whorl {

WHORL_ANYWHERE double larger(double a, double b) { return a > b || a != a ? a : b; }

} // namespace whorl

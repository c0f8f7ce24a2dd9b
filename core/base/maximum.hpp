// The larger of two numbers, and NaN where one of them is: a field that is lost must be seen in its maximum,
// and comparisons, std::max and MPI_MAX lose it.
#pragma once

#include "base/macros.hpp"

namespace whorl {

WHORL_ANYWHERE double larger(double a, double b) { return a > b || a != a ? a : b; }

} // namespace whorl

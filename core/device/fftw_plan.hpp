// Lines of any shape and basis by FFTW.
#pragma once

#include <memory>

#include "device/line_plan.hpp"

namespace whorl::device {

// False where whorl was built without it; make_fftw_plan() then throws Error.
bool has_fftw();

// Makes a plan by FFTW. With `tries`, FFTW finds the fastest plan by trials, which need long.
template <class Real>
std::unique_ptr<LinePlan<Real>> make_fftw_plan(LineShape shape, Direction direction, bool tries);

} // namespace whorl::device

// Lines of any shape and basis by FFTW.
#pragma once

#include <memory>

#include "device/lines.hpp"

namespace whorl::device {

// False where whorl was built without it; fftw_lines() then throws Error.
bool has_fftw();

template <class Real> std::unique_ptr<Lines<Real>> fftw_lines(LineShape shape, Direction direction);

} // namespace whorl::device

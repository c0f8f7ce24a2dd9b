// Lines of any shape and basis by FFTW.
#pragma once

#include <memory>

#include "device/lines.hpp"

namespace whorl::device {

// False where whorl was built without it; fftw_lines() then throws Error.
bool has_fftw();

// `tries`: what is fastest is found by trials, which take long.
template <class Real>
std::unique_ptr<Lines<Real>> fftw_lines(LineShape shape, Direction direction, bool tries);

} // namespace whorl::device

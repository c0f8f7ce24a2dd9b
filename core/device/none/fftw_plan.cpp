// This file replaces FFTW's lines where whorl is built without FFTW.
#include "base/error.hpp"
#include "device/line_plan.hpp"

namespace whorl::device {

bool has_fftw() { return false; }

std::string fftw_version() { return "none"; }

template <class Real> std::unique_ptr<LinePlan<Real>> make_fftw_plan(LineShape, Direction, bool) {
    throw Error("lines = \"fftw\", or fftw-estimate as a checkpoint may have it, needs FFTW, and this whorl "
                "was built without it: choose own or build it with FFTW (cmake -DWHORL_FFTW=ON).");
}

template std::unique_ptr<LinePlan<float>> make_fftw_plan(LineShape, Direction, bool);
template std::unique_ptr<LinePlan<double>> make_fftw_plan(LineShape, Direction, bool);

} // namespace whorl::device

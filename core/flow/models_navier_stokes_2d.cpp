#include "flow/entry.hpp"
#include "models/navier_stokes_2d.hpp"

namespace whorl {

template <class Device> ModelEntry navier_stokes_2d_entry();
template <> ModelEntry navier_stokes_2d_entry<device::Chosen>() {
    return entry_of<device::Chosen>([]<class Real>(const Options& options, Real, const auto& use) {
        WHORL_REQUIRE(options.points[2] == 1, "model navier-stokes-2d needs a plane: nz = 1, not " +
                                                  std::to_string(options.points[2]) + ".");
        const auto beta = static_cast<Real>(options.parameter("beta"));
        use(NavierStokes2d<Real>{losses_of<Real>(options), beta, options.box().smallest_wavenumber()});
    });
}

} // namespace whorl

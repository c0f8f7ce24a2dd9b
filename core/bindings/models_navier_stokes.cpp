#include "bindings/entry.hpp"
#include "models/navier_stokes.hpp"

namespace whorl {

namespace {
bool viscosity_alone(const Options& options) {
    for (const char* name : {"hyperviscosity", "hypoviscosity", "drag", "rotation_x", "rotation_y",
                             "rotation_z", "mean_velocity_x", "mean_velocity_y", "mean_velocity_z"})
        if (options.parameter(name) != 0.0) return false;
    return true;
}
} // namespace

template <> ModelEntry navier_stokes_entry<device::Chosen>() {
    return entry_of<device::Chosen>([]<class Real>(const Options& options, Real, const auto& use) {
        const Viscosity<Real> viscosity{static_cast<Real>(options.parameter("viscosity"))};
        if (viscosity_alone(options))
            use(NavierStokes<Real>{viscosity});
        else
            use(NavierStokes<Real, LinearTerms<Real>>{linear_terms_of<Real>(options)});
    });
}

} // namespace whorl

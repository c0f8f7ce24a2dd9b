#include "flow/entry.hpp"
#include "models/rayleigh_benard.hpp"

namespace whorl {

template <class Device> ModelEntry rayleigh_benard_entry();
template <> ModelEntry rayleigh_benard_entry<device::Chosen>() {
    return entry_of<device::Chosen>([]<class Real>(const Options& options, Real, const auto& use) {
        LinearTerms<Real> linear;
        linear.losses.nu = static_cast<Real>(options.parameter("viscosity"));
        linear.background.omega.z = static_cast<Real>(options.parameter("rotation_z"));
        const auto kappa = static_cast<Real>(options.parameter("diffusivity"));
        const Box box = options.box();
        use(RayleighBenard<Real>{{linear, kappa, Real(1), Real(1)}, box.wall(2) ? box.unit(2) : 0.0});
    });
}

} // namespace whorl

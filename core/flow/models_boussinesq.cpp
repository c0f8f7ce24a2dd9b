#include "flow/entry.hpp"
#include "models/boussinesq.hpp"

namespace whorl {

template <class Device> ModelEntry boussinesq_entry();
template <> ModelEntry boussinesq_entry<device::Chosen>() {
    return entry_of<device::Chosen>([]<class Real>(const Options& options, Real, const auto& use) {
        const auto frequency = static_cast<Real>(options.parameter("buoyancy_frequency"));
        const auto kappa = static_cast<Real>(options.parameter("diffusivity"));
        use(Boussinesq<Real>{{linear_terms_of<Real>(options), kappa, -frequency, frequency}});
    });
}

} // namespace whorl

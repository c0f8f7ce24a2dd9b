#include "flow/entry.hpp"
#include "models/navier_stokes.hpp"

namespace whorl {

template <class Device> ModelEntry navier_stokes_entry();
template <> ModelEntry navier_stokes_entry<device::Chosen>() {
    return entry_of<device::Chosen>([]<class Real>(const Options& options, Real, const auto& use) {
        const LinearTerms<Real> linear = linear_terms_of<Real>(options);
        if (linear.is_viscosity_alone())
            use(NavierStokes<Real>{{linear.losses.nu}});
        else
            use(NavierStokes<Real, LinearTerms<Real>>{linear});
    });
}

} // namespace whorl

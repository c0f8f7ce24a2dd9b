#include "flow/entry.hpp"
#include "models/quasi_static_mhd.hpp"

namespace whorl {

template <class Device> ModelEntry quasi_static_mhd_entry();
template <> ModelEntry quasi_static_mhd_entry<device::Chosen>() {
    return entry_of<device::Chosen>([]<class Real>(const Options& options, Real, const auto& use) {
        const auto interaction = static_cast<Real>(options.parameter("interaction"));
        use(QuasiStaticMhd<Real>{
            {{linear_terms_of<Real>(options), vector_of<Real>(options, "field_direction"), interaction}}});
    });
}

} // namespace whorl

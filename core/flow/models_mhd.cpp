#include "flow/entry.hpp"
#include "models/kinematic_dynamo.hpp"
#include "models/mhd.hpp"

namespace whorl {

template <class Device> ModelEntry mhd_entry();
template <> ModelEntry mhd_entry<device::Chosen>() {
    return entry_of<device::Chosen>([]<class Real>(const Options& options, Real, const auto& use) {
        const auto eta = static_cast<Real>(options.parameter("resistivity"));
        const auto ion_length = static_cast<Real>(options.parameter("hall"));
        const MagneticFields<Real> fields{linear_terms_of<Real>(options), eta,
                                          vector_of<Real>(options, "mean_field")};
        if (options.parameter("kinematic") != 0.0)
            use(KinematicDynamo<Real>{fields});
        else if (ion_length != Real(0))
            use(Mhd<Real, true>{fields, ion_length});
        else
            use(Mhd<Real, false>{fields, ion_length});
    });
}

} // namespace whorl

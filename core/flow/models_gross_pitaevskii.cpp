#include "flow/entry.hpp"
#include "models/ginzburg_landau.hpp"
#include "models/gross_pitaevskii.hpp"

namespace whorl {

namespace {
template <template <class> class Model> ModelEntry entry_of_wave_function() {
    return entry_of<device::Chosen>([]<class Real>(const Options& options, Real, const auto& use) {
        const auto real = [&](const char* name) { return static_cast<Real>(options.parameter(name)); };
        use(Model<Real>{real("dispersion"), real("interaction"), real("density")});
    });
}
} // namespace

template <class Device> ModelEntry gross_pitaevskii_entry();
template <> ModelEntry gross_pitaevskii_entry<device::Chosen>() {
    return entry_of_wave_function<GrossPitaevskii>();
}
template <class Device> ModelEntry ginzburg_landau_entry();
template <> ModelEntry ginzburg_landau_entry<device::Chosen>() {
    return entry_of_wave_function<GinzburgLandau>();
}

} // namespace whorl

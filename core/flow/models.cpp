// Every model, one line each, on every device of the build (declared.toml).
#include <algorithm>

#include "base/choice.hpp"
#include "device/compiled.hpp"
#include "device/each_device.hpp"
#include "flow/registry.hpp"

namespace whorl {

namespace {

using Registry = std::map<std::string, ModelEntry>;

template <class Device> Registry models_on() {
    return {
        {"boussinesq", boussinesq_entry<Device>()},
        {"equations", equations_entry<Device>()},
        {"ginzburg-landau", ginzburg_landau_entry<Device>()},
        {"gross-pitaevskii", gross_pitaevskii_entry<Device>()},
        {"mhd", mhd_entry<Device>()},
        {"navier-stokes", navier_stokes_entry<Device>()},
        {"navier-stokes-2d", navier_stokes_2d_entry<Device>()},
        {"quasi-static-mhd", quasi_static_mhd_entry<Device>()},
        {"rayleigh-benard", rayleigh_benard_entry<Device>()},
    };
}

std::string name_of_file(std::string file) {
    std::replace(file.begin(), file.end(), '_', '-');
    return file;
}

const std::map<std::string, Registry>& registries() {
#define WHORL_REGISTRY(file, Class) {name_of_file(#file), models_on<device::Class>()},
    static const std::map<std::string, Registry> devices{WHORL_REGISTRY(cpu, Cpu)
                                                             WHORL_EACH_DEVICE(WHORL_REGISTRY)};
#undef WHORL_REGISTRY
    return devices;
}

template <class Kinds>
auto& find(const std::map<std::string, Kinds>& known, const char* what, const std::string& name) {
    const auto found = known.find(name);
    const auto name_of = [](const auto& each) { return each.first; };
    WHORL_REQUIRE(found != known.end(), std::string(what) + " \"" + name + "\" is unknown; choose one of: " +
                                            listed(known, ", ", name_of) + ".");
    return found->second;
}

const ModelEntry& find_model(const Options& options) {
    return find(find(registries(), "device", options.device), "model", options.model);
}

} // namespace

std::vector<std::string> model_names() {
    std::vector<std::string> names;
    for (const auto& [name, entry] : registries().at("cpu")) names.push_back(name);
    return names;
}

std::vector<std::string> device_names() {
    std::vector<std::string> names;
    for (const auto& [name, models] : registries()) names.push_back(name);
    return names;
}

// The shape is the same on every device, including those that this build does not have.
ModelShape model_shape(const Options& options) {
    return find(registries().at("cpu"), "model", options.model).shape(options);
}

std::unique_ptr<Flow> make_flow(const Options& options, int communicator) {
    return find_model(options).make(options, communicator);
}

} // namespace whorl

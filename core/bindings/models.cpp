// Every model, a line each.
#include "bindings/registry.hpp"

namespace whorl {

namespace {

const std::map<std::string, ModelEntry>& registry() {
    static const std::map<std::string, ModelEntry> models{
        {"boussinesq", boussinesq_entry()},
        {"ginzburg-landau", ginzburg_landau_entry()},
        {"gross-pitaevskii", gross_pitaevskii_entry()},
        {"mhd", mhd_entry()},
        {"navier-stokes", navier_stokes_entry()},
        {"navier-stokes-2d", navier_stokes_2d_entry()},
        {"quasi-static-mhd", quasi_static_mhd_entry()},
        {"rayleigh-benard", rayleigh_benard_entry()},
    };
    return models;
}

const ModelEntry& find_model(const std::string& name) {
    std::string names;
    for (const auto& known : model_names()) names += (names.empty() ? "" : ", ") + known;
    const auto found = registry().find(name);
    WHORL_REQUIRE(found != registry().end(),
                  "model \"" + name + "\" is unknown; choose one of: " + names + ".");
    return found->second;
}

} // namespace

std::vector<std::string> model_names() {
    std::vector<std::string> names;
    for (const auto& [name, factories] : registry()) names.push_back(name);
    return names;
}

ModelShape model_shape(const Options& options) { return find_model(options.model).shape(options); }

std::unique_ptr<Flow> make_flow(const Options& options, int communicator) {
    return find_model(options.model).make(options, communicator);
}

} // namespace whorl

// Where model, precision and device are instantiated: one line a model.
#include <functional>

#include "bindings/flow_of.hpp"
#include "models/navier_stokes.hpp"

namespace whorl {

namespace {

double parameter(const Options& options, const std::string& name) {
    const auto found = options.parameters.find(name);
    WHORL_REQUIRE(found != options.parameters.end(),
                  "model " + options.model + " needs the parameter " + name + ".");
    return found->second;
}

struct MakeNavierStokes {
    template <class Real> static auto make(const Options& options) {
        return NavierStokes<Real>{static_cast<Real>(parameter(options, "viscosity"))};
    }
};

template <class Maker, class Real> std::unique_ptr<Flow> make(const Options& options, int communicator) {
    const auto model = Maker::template make<Real>(options);
    return std::make_unique<FlowOf<std::remove_const_t<decltype(model)>, Real>>(options, communicator, model);
}

using Factory = std::function<std::unique_ptr<Flow>(const Options&, int)>;
struct Entry {
    Factory single, double_;
    ModelShape shape;
};
template <class Maker> Entry entry() {
    using Model = decltype(Maker::template make<double>(Options{}));
    return {make<Maker, float>,
            make<Maker, double>,
            {Model::fields, Model::inputs, Model::products, Model::fluxes}};
}

const std::map<std::string, Entry>& registry() {
    static const std::map<std::string, Entry> models{
        {"navier-stokes", entry<MakeNavierStokes>()},
    };
    return models;
}

} // namespace

std::vector<std::string> model_names() {
    std::vector<std::string> names;
    for (const auto& [name, factories] : registry()) names.push_back(name);
    return names;
}

namespace {
const Entry& find_model(const std::string& name) {
    std::string names;
    for (const auto& known : model_names()) names += (names.empty() ? "" : ", ") + known;
    const auto found = registry().find(name);
    WHORL_REQUIRE(found != registry().end(),
                  "model \"" + name + "\" is unknown; choose one of: " + names + ".");
    return found->second;
}
} // namespace

ModelShape model_shape(const std::string& name) { return find_model(name).shape; }

std::unique_ptr<Flow> make_flow(const Options& options, int communicator) {
    const Entry& model = find_model(options.model);
    return options.is_double() ? model.double_(options, communicator) : model.single(options, communicator);
}

} // namespace whorl

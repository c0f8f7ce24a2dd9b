#include "equations/typed_equation.hpp"
#include "flow/entry.hpp"
#include "programs/loads_on_streams.hpp"

namespace whorl {

namespace {

const std::shared_ptr<equations::Plan>& plan_of(const Options& options) {
    WHORL_REQUIRE(options.equations, "model \"equations\" has no plan: give the equations.");
    WHORL_REQUIRE(options.scalars.empty(),
                  "typed equations carry no passive scalars: type an equation for each of them.");
    return options.equations;
}

template <class Device> std::unique_ptr<Flow> typed_flow(const Options& options, int communicator) {
    const auto& plan = plan_of(options);
    options.check_parameters();
    WHORL_REQUIRE(!plan->code.exists() || plan->code.of_double == options.is_double(),
                  "the compiled functions of the equations are of another precision than the run.");
    const auto in = [&]<class Real>(Real) {
        return make_flow_of<Device, Real>(options, communicator,
                                          std::make_unique<equations::TypedEquation<Device, Real>>(
                                              plan, options.box(), options.truncation().dealiasing().shifts));
    };
    if (options.is_exact()) equations::require_exact(*plan);
#ifdef WHORL_LINKED
    return in(WHORL_LINKED());
#else
    return options.is_double() ? in(double()) : in(float());
#endif
}

} // namespace

template <class Device> ModelEntry equations_entry();
template <> ModelEntry equations_entry<device::Chosen>() {
    ModelEntry entry;
    entry.make = typed_flow<device::Chosen>;
    entry.shape = [](const Options& options) {
        return shape_of(equations::declaration_of(*plan_of(options)), options);
    };
    return entry;
}

} // namespace whorl

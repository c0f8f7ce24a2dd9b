#include <complex>

#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bind.hpp"
#include "bindings/callbacks.hpp"

namespace whorl {

void bind_source(nb::module_& m) {
    using forcing::SourceOptions;
    nb::class_<SourceOptions>(m, "Source", "The options of a source; see whorl.forcing.options.")
        .def(
            "__init__",
            [](SourceOptions* self, const std::string& kind, const std::string& name,
               const std::string& field, const std::map<std::string, double>& numbers,
               const std::vector<double>& shells) {
                new (self) SourceOptions{kind, name, field, numbers, shells};
            },
            nb::kw_only(), nb::arg("kind"), nb::arg("name"), nb::arg("field"),
            nb::arg("numbers") = std::map<std::string, double>(), nb::arg("shells") = std::vector<double>())
        .def_ro("kind", &SourceOptions::kind)
        .def_ro("name", &SourceOptions::name)
        .def_ro("field", &SourceOptions::field)
        .def_ro("numbers", &SourceOptions::numbers)
        .def_ro("shells", &SourceOptions::shells);
}

namespace {

// A method of the flow's forces.
template <class Result, class... Given> auto of_forces(Result (FlowForces::*method)(Given...)) {
    return [method](OpenFlow& self, Given... given) { return (self->forces().*method)(given...); };
}
template <class Result, class... Given> auto of_forces(Result (FlowForces::*method)(Given...) const) {
    return [method](OpenFlow& self, Given... given) { return (self->forces().*method)(given...); };
}

void bind_state_of_sources(nb::class_<OpenFlow>& flow) {
    flow.def("speed_of_sources", of_forces(&FlowForces::speed), nb::arg("dt"),
             "The speed that the sources give a fluid at rest within dt, at most.");
    flow.def("forced_wavenumber", of_forces(&FlowForces::wavenumber), nb::arg("number"), Unlocked(),
             "The wavenumber on which a source acts, 0 on all modes. Collective.");
    flow.def("begin_sources", of_forces(&FlowForces::begin), nb::arg("time"), Unlocked(),
             "Prepare the sources that depend on the first state. Collective.");
    flow.def("work_of_sources", of_forces(&FlowForces::work),
             "For each source the mean power of the last step and the work since the beginning.");
    flow.def("power_of_sources", of_forces(&FlowForces::power), Unlocked(),
             "For each source the mean power of the last step by shell. Collective.");
    flow.def("save_sources", of_forces(&FlowForces::save));
    flow.def("restore_sources", of_forces(&FlowForces::restore), nb::arg("saved"));
}

} // namespace

void bind_forcing(nb::class_<OpenFlow>& flow) {
    flow.def(
        "set_force",
        [](OpenFlow& self, std::size_t number, const BlockFunction& fill) {
            const auto typed = block_callback(fill, self->options().is_double());
            nb::gil_scoped_release unlocked;
            self->forces().set(number, typed);
        },
        nb::arg("number"), nb::arg("fill"),
        "Set the values of the given source `number` at the grid points, as set_physical does.");
    flow.def(
        "set_force_modes",
        [](OpenFlow& self, std::size_t number, const Modes& values) {
            const std::string& field = self->options().forcing.at(number).field;
            with_modes(self, field, values,
                       [&](const void* data) { self->forces().set_modes(number, data); });
        },
        nb::arg("number"), nb::arg("values"),
        "Set the values of the given source `number` at this rank's modes, as write_modes does.");
    flow.def(
        "set_factor",
        [](OpenFlow& self, std::size_t number, double factor) { self->forces().set_factor(number, factor); },
        nb::arg("number"), nb::arg("factor"),
        "Set the factor of the values of the given source `number`, 1 at first.");
    flow.def(
        "set_factor_in_time",
        [](nb::handle self, std::size_t number, const nb::typed<nb::callable, double(double)>& factor) {
            const std::string name = "_factor" + std::to_string(number);
            nb::setattr(self, name.c_str(), factor);
            OpenFlow& open = nb::cast<OpenFlow&>(self);
            open->forces().set_factor_in_time(number, [&open, name](double time) {
                const nb::gil_scoped_acquire locked;
                return nb::cast<double>(nb::getattr(nb::find(open), name.c_str())(time));
            });
        },
        nb::arg("number"), nb::arg("factor"),
        "Give the factor of the source `number` as a function of time, by which a step is chosen.");
    // The function is an attribute of the flow, where Python finds cycles of references.
    flow.def(
        "call_for_force",
        [](nb::handle self, std::size_t number,
           const nb::typed<nb::callable, void(OpenFlow, double)>& function) {
            const std::string name = "_force" + std::to_string(number);
            nb::setattr(self, name.c_str(), function);
            OpenFlow& open = nb::cast<OpenFlow&>(self);
            open->forces().call(number, [&open, name](double time) {
                const nb::gil_scoped_acquire locked;
                const nb::object own = nb::find(open);
                nb::getattr(own, name.c_str())(own, time);
            });
        },
        nb::arg("number"), nb::arg("function"),
        "Call function(flow, time) before each stage at which the given source `number` is needed.");
    bind_state_of_sources(flow);
}

} // namespace whorl

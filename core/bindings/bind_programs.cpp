#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "bindings/bind.hpp"
#include "bindings/callbacks.hpp"
#include "flow/program_runs.hpp"

namespace whorl {

namespace {

// A probe of a flow, which must not be read after its end.
struct ProbeOfOpen {
    const OpenFlow& flow;
    std::unique_ptr<OpenProbe> probe;
};

// Numbers by name, 0 unless they are given.
template <class Needs> void bind_needs(nb::module_& m, const char* name) {
    nb::class_<Needs> needs(m, name, "What is needed in a run; see whorl.run.memory.needs.");
    std::string signature = "def __init__(self, *";
    Needs::each(
        [&](const std::string& one, std::int64_t Needs::*) { signature += ", " + one + ": int = 0"; });
    signature += ") -> None";
    const auto make = [](Needs* self, const nb::kwargs& given) {
        Needs made;
        for (const auto& [key, value] : given) {
            bool known = false;
            Needs::each(
                [&, &key = key, &value = value](const std::string& one, std::int64_t Needs::* member) {
                    if (one != nb::cast<std::string>(key)) return;
                    made.*member = nb::cast<std::int64_t>(value);
                    known = true;
                });
            WHORL_REQUIRE(known, "needs have no \"" + nb::cast<std::string>(key) + "\".");
        }
        new (self) Needs(made);
    };
    needs.def("__init__", make, nb::sig(signature.c_str()));
    Needs::each([&](const char* one, std::int64_t Needs::* member) { needs.def_ro(one, member); });
}

} // namespace

void bind_program(nb::module_& m) {
    bind_needs<programs::ProgramNeeds>(m, "ProgramNeeds");
    bind_needs<programs::ProbeNeeds>(m, "ProbeNeeds");
    bind_needs<particles::ParticleNeeds>(m, "ParticleNeeds");
    bind_terms(m);
    nb::class_<ProbeOfOpen>(m, "Probe", "A probe, which is read again and again; see whorl.probes.ask.")
        .def_prop_ro("size", [](const ProbeOfOpen& self) { return self.probe->size(); })
        .def(
            "read",
            [](const ProbeOfOpen& self,
               const nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>& values) {
                self.flow.require_open();
                WHORL_REQUIRE(values.size() == self.probe->size(),
                              "a probe has " + std::to_string(self.probe->size()) + " values, not " +
                                  std::to_string(values.size()) + ".");
                const nb::gil_scoped_release unlocked;
                self.probe->read({values.data(), values.size()});
            },
            nb::arg("values").noconvert(), "Reads the present state into an array. Collective.");
    m.def(
        "operations",
        [] {
            std::map<std::string, int> known;
            for (const auto& [name, arguments] : programs::operation_names) known[name] = arguments;
            return known;
        },
        "The operations of programs with their numbers of arguments.");
}

namespace {

// The state of a flow on fewer points.
struct NarrowedOfOpen {
    const OpenFlow& flow;
    ProgramRuns& runs;
};

ProgramRuns& runs_of(const OpenFlow& flow) { return flow->programs(); }
ProgramRuns& runs_of(const NarrowedOfOpen& narrow) {
    narrow.flow.require_open();
    return narrow.runs;
}
const OpenFlow& flow_of(const OpenFlow& flow) { return flow; }
const OpenFlow& flow_of(const NarrowedOfOpen& narrow) { return narrow.flow; }

template <class Of> void bind_probes(nb::class_<Of>& runs) {
    runs.def(
        "probe_modes",
        [](const Of& self, const programs::InputTerms& inputs,
           const std::vector<programs::ModeNumbers>& modes) {
            return ProbeOfOpen{flow_of(self), runs_of(self).probe_modes(inputs, modes)};
        },
        nb::arg("inputs"), nb::arg("modes"), nb::keep_alive<0, 1>(),
        "A Probe of the coefficients of inputs at modes, given by whole numbers, [input][mode][re, im].");
    runs.def(
        "probe_points",
        [](const Of& self, const programs::InputTerms& inputs,
           const std::vector<programs::Position>& positions) {
            return ProbeOfOpen{flow_of(self), runs_of(self).probe_points(inputs, positions)};
        },
        nb::arg("inputs"), nb::arg("positions"), nb::keep_alive<0, 1>(),
        "A Probe of the values of inputs at positions x, y, z, [input][position].");
}

template <class Of> void bind_sums(nb::class_<Of>& runs) {
    runs.def(
        "mode_means",
        [](const Of& self, const programs::InputTerms& inputs, const std::vector<programs::Pair>& pairs) {
            nb::gil_scoped_release unlocked;
            return runs_of(self).mode_means(inputs, pairs);
        },
        nb::arg("inputs"), nb::arg("pairs"),
        "The means of products of two inputs over all points, or with -1 as the second of the first, from "
        "the modes.");
    runs.def(
        "mode_spectra",
        [](const Of& self, const programs::InputTerms& inputs,
           const std::vector<std::vector<programs::Pair>>& sums,
           const std::vector<programs::ModeAxis>& axes) {
            nb::gil_scoped_release unlocked;
            return runs_of(self).mode_spectra(inputs, sums, axes);
        },
        nb::arg("inputs"), nb::arg("sums"), nb::arg("axes"),
        "The same of sums of products, by cell of bins along one or two coordinates of the wavenumber. "
        "Behind "
        "the bins of each is what is beyond.");
    runs.def(
        "increments",
        [](const Of& self, const programs::Program& program, int axis, int order,
           const std::vector<int>& separations, const std::vector<std::array<int, 2>>& pairs) {
            WHORL_REQUIRE(axis >= 0 && axis < 3, "there is no such axis.");
            nb::gil_scoped_release unlocked;
            return runs_of(self).increments(program, axis, {order, separations, pairs});
        },
        nb::arg("program"), nb::arg("axis"), nb::arg("order"), nb::arg("separations"), nb::arg("pairs"),
        "The means of moments of the increments of a program's results, [separation][moment]: of each result "
        "|d|^1, ..., |d|^order, then d^3, d^5, ...; then d_a d_b^2 of the pairs.");
}

// Binds the functions of programs on a state.
template <class Of> void bind_runs(nb::class_<Of>& runs) {
    bind_probes(runs);
    bind_sums(runs);
    runs.def(
        "run_program",
        [](const Of& self, const programs::Program& program, const programs::Wanted& wanted,
           const BlockFunction& consume) {
            const auto typed = block_callback(consume, flow_of(self)->options().is_double());
            nb::gil_scoped_release unlocked;
            return runs_of(self).run(program, wanted, typed);
        },
        nb::arg("program"), nb::arg("wanted"), nb::arg("consume"),
        "Runs a program. Calls consume as read_fields does with the values.");
    runs.def(
        "bring_force",
        [](const Of& self, const std::string& field, double time) {
            const nb::gil_scoped_release unlocked;
            runs_of(self).bring_force(field, time);
        },
        nb::arg("field"), nb::arg("time"),
        "The force on a field at a time becomes fields of programs, behind the state. Collective.");
    runs.def(
        "forget_products", [](const Of& self) { runs_of(self).forget_products(); },
        "Forgets the forces and the products that programs have transformed back.");
}

} // namespace

void bind_programs(nb::module_& m, nb::class_<OpenFlow>& flow) {
    bind_runs(flow);
    nb::class_<NarrowedOfOpen> narrow(m, "NarrowFlow",
                                      "The state of a flow on fewer points; see Flow.narrowed.");
    bind_runs(narrow);
    flow.def(
        "narrowed",
        [](const OpenFlow& self, const std::array<int, 3>& points) {
            const nb::gil_scoped_release unlocked;
            return NarrowedOfOpen{self, self->programs().narrowed(points)};
        },
        nb::arg("points"), nb::keep_alive<0, 1>(),
        "The present state on fewer points, to the modes that these have, as programs see it. Collective.");
}

} // namespace whorl

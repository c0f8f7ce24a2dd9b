#include "bindings/bind_programs.hpp"

#include <tuple>

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "bindings/callbacks.hpp"
#include "flow/program_runs.hpp"

namespace whorl {

programs::InputTerms terms_of(const std::vector<std::vector<TermTuple>>& given) {
    programs::InputTerms inputs;
    for (const auto& sum : given) {
        auto& input = inputs.emplace_back();
        for (const auto& [field, factor, derivatives, power, low, high, radius, sector] : sum) {
            const auto& [axis, from, to] = sector;
            WHORL_REQUIRE(axis >= -1 && axis < 3, "there is no such axis of a sector.");
            input.push_back({field, factor, derivatives, power, low, high, radius, {axis, from, to}});
        }
    }
    return inputs;
}

namespace {

// A probe of a flow, which must not be read after its end.
struct ProbeOfOpen {
    const OpenFlow& flow;
    std::unique_ptr<OpenProbe> probe;
};

// The field of a product, its factor, derivatives and parity.
using ReturnedTuple = std::tuple<int, double, std::array<int, 3>, std::array<bool, 3>>;

// The coordinate of modes, its axis, and the edges of its bins.
using ModeAxisTuple = std::tuple<std::string, int, std::vector<double>>;

std::vector<programs::ModeAxis> axes_of(const std::vector<ModeAxisTuple>& given) {
    using enum programs::ModeCoordinate;
    static const std::map<std::string, programs::ModeCoordinate> coordinates{
        {"size", size}, {"along", along}, {"across", across}, {"angle", angle}};
    std::vector<programs::ModeAxis> axes;
    for (const auto& [name, axis, edges] : given) {
        WHORL_REQUIRE(coordinates.contains(name), "modes have no coordinate " + name + ".");
        axes.push_back({coordinates.at(name), axis, edges});
    }
    return axes;
}

// The bins of one or two axes, and the number of weights.
using TallyTuple = std::pair<std::vector<int>, int>;
using TalliedTuple = std::pair<std::vector<std::uint64_t>, std::vector<std::vector<double>>>;

programs::TallyShape shape_of(const std::vector<int>& bins, int weights) {
    WHORL_REQUIRE(bins.size() == 1 || bins.size() == 2, "a tally has one or two axes.");
    return {static_cast<int>(bins.size()), {bins.front(), bins.back()}, weights};
}

// Numbers by name, 0 unless they are given.
template <class Needs> void bind_needs(nb::module_& m, const char* name) {
    nb::class_<Needs> needs(m, name, "What is needed in a run; see whorl.run.program_needs.");
    needs.def("__init__", [](Needs* self, const nb::kwargs& given) {
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
    });
    Needs::each([&](const char* one, std::int64_t Needs::* member) { needs.def_ro(one, member); });
}

} // namespace

void bind_program(nb::module_& m) {
    bind_needs<programs::ProgramNeeds>(m, "ProgramNeeds");
    bind_needs<programs::ProbeNeeds>(m, "ProbeNeeds");
    bind_needs<particles::ParticleNeeds>(m, "ParticleNeeds");
    using programs::Program;
    nb::class_<Program>(m, "Program", "Operations at each point; see whorl.expressions.plan.")
        .def(
            "__init__",
            [](Program* self, const std::vector<std::vector<TermTuple>>& inputs,
               const std::vector<double>& numbers, const std::vector<programs::Instruction>& instructions,
               const std::vector<int>& results, const std::vector<ReturnedTuple>& products) {
                new (self) Program{terms_of(inputs), numbers, instructions, results, {}};
                for (const auto& [field, factor, derivatives, parity] : products)
                    self->products.push_back({field, factor, derivatives, parity});
            },
            nb::arg("inputs"), nb::arg("numbers"), nb::arg("instructions"), nb::arg("results"),
            nb::arg("products"))
        .def_prop_ro(
            "places", [](const Program& self) { return programs::compiled(self).places; },
            "Where the interpreter keeps numbers, coordinates and results.")
        .def_prop_ro(
            "fluxes", [](const Program& self) { return programs::fluxes_of(self.products).size(); },
            "The number of products on the leg of columns.");
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
        [](const Of& self, const std::vector<std::vector<TermTuple>>& inputs,
           const std::vector<programs::ModeNumbers>& modes) {
            return ProbeOfOpen{flow_of(self), runs_of(self).probe_modes(terms_of(inputs), modes)};
        },
        nb::arg("inputs"), nb::arg("modes"), nb::keep_alive<0, 1>(),
        "A Probe of the coefficients of inputs at modes, given by whole numbers, [input][mode][re, im].");
    runs.def(
        "probe_points",
        [](const Of& self, const std::vector<std::vector<TermTuple>>& inputs,
           const std::vector<programs::Position>& positions) {
            return ProbeOfOpen{flow_of(self), runs_of(self).probe_points(terms_of(inputs), positions)};
        },
        nb::arg("inputs"), nb::arg("positions"), nb::keep_alive<0, 1>(),
        "A Probe of the values of inputs at positions x, y, z, [input][position].");
}

template <class Of> void bind_sums(nb::class_<Of>& runs) {
    runs.def(
        "mode_means",
        [](const Of& self, const std::vector<std::vector<TermTuple>>& inputs,
           const std::vector<programs::Pair>& pairs) {
            nb::gil_scoped_release unlocked;
            return runs_of(self).mode_means(terms_of(inputs), pairs);
        },
        nb::arg("inputs"), nb::arg("pairs"),
        "The means of products of two inputs over all points, or with -1 as the second of the first, from "
        "the modes.");
    runs.def(
        "mode_spectra",
        [](const Of& self, const std::vector<std::vector<TermTuple>>& inputs,
           const std::vector<std::vector<programs::Pair>>& sums, const std::vector<ModeAxisTuple>& axes) {
            nb::gil_scoped_release unlocked;
            return runs_of(self).mode_spectra(terms_of(inputs), sums, axes_of(axes));
        },
        nb::arg("inputs"), nb::arg("sums"), nb::arg("axes"),
        "The same of sums of products, by cell of bins along one or two coordinates of the wavenumber, each "
        "a "
        "name, an axis and edges: size, along, across or angle. Behind the bins of each is what is beyond.");
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
        [](const Of& self, const programs::Program& program, std::array<int, 4> wanted,
           const nb::callable& consume, const std::vector<TallyTuple>& tallies,
           const std::vector<int>& planes) {
            const auto typed = block_callback(consume, flow_of(self)->options().is_double());
            const auto [means, maxima, products, values] = wanted;
            programs::Wanted all{means, maxima, products, values, {}, planes};
            for (const auto& [bins, weights] : tallies) all.tallies.push_back(shape_of(bins, weights));
            nb::gil_scoped_release unlocked;
            const programs::Found found = runs_of(self).run(program, all, typed);
            std::vector<TalliedTuple> tallied;
            for (const auto& [counts, sums] : found.tallies) tallied.emplace_back(counts, sums);
            return std::tuple(found.means, found.maxima, tallied, found.planes);
        },
        nb::arg("program"), nb::arg("wanted"), nb::arg("consume"), nb::arg("tallies"),
        nb::arg("planes") = std::vector<int>{},
        "Returns the means and the maxima of a program, its tallies, for each the counts by cell and by "
        "weight the sums by cell, and the means by plane. Its results are `wanted` means, maxima, products "
        "and values, and what the tallies take, which are given as the bins of their axes and a number of "
        "weights. The last of the means are those by plane, across axes 1 = y or 2 = z. Calls consume as "
        "read_fields does with the values.");
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
        "Forgets the forces and the products that programs have brought back.");
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

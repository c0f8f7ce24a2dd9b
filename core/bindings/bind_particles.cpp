#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/choice.hpp"
#include "base/error.hpp"
#include "bindings/bind.hpp"
#include "flow/program_runs.hpp"

namespace whorl {
namespace {

// Particles of a flow, which must not be used after its end.
struct ParticlesOfOpen {
    const OpenFlow& flow;
    ParticleGroup& group;

    ParticleGroup* operator->() const {
        flow.require_open();
        return &group;
    }
};

template <class T> using Values = nb::ndarray<T, nb::c_contig, nb::device::cpu>;
template <class T> std::span<T> span_of(const Values<T>& values) { return {values.data(), values.size()}; }

particles::Interpolation interpolation_of(const std::string& kind, int points) {
    require_either("interpolation", kind, std::vector<std::string>{"spline", "lagrange"});
    WHORL_REQUIRE(points >= 2 && points <= particles::Interpolation::most && points % 2 == 0,
                  "interpolation takes 2, 4, 6 or 8 points, not " + std::to_string(points) + ".");
    return {kind == "spline", points};
}

void bind_group(nb::module_& m) {
    nb::class_<ParticlesOfOpen>(m, "Particles", "A group of particles of a flow; see Flow.particles.")
        .def_prop_ro(
            "count", [](const ParticlesOfOpen& self) { return self->count(); }, "The number on this rank.")
        .def_prop_ro(
            "registers", [](const ParticlesOfOpen& self) { return self->registers(); },
            "The number of registers of the time scheme.")
        .def_prop_ro(
            "variables", [](const ParticlesOfOpen& self) { return self->variables(); },
            "The number of vectors of each in a register: 1, the position, or 2, and the velocity.")
        .def(
            "add",
            [](const ParticlesOfOpen& self, const Values<const std::int64_t>& ids,
               const Values<const double>& values) {
                const nb::gil_scoped_release unlocked;
                self->add(span_of(ids), span_of(values), self.flow->remembered_steps());
            },
            nb::arg("ids").noconvert(), nb::arg("values").noconvert(),
            "Adds those whose points this rank has; values are positions [particle][axis], or "
            "[particle][register][variable][axis] of the first register or more.")
        .def(
            "read",
            [](const ParticlesOfOpen& self, const Values<std::int64_t>& ids, const Values<double>& values,
               std::size_t number, std::size_t variable) {
                WHORL_REQUIRE(ids.size() == self->count() && values.size() == 3 * self->count() &&
                                  number < self->registers() && variable < self->variables(),
                              "there are " + std::to_string(self->count()) + " particles on this rank.");
                self->read(span_of(ids), span_of(values), number, variable);
            },
            nb::arg("ids").noconvert(), nb::arg("values").noconvert(), nb::arg("register") = 0,
            nb::arg("variable") = 0,
            "Sets arrays to the identities and the unwrapped positions, or the velocities, [particle][axis], "
            "of those on this rank, in any order.")
        .def(
            "reserve", [](const ParticlesOfOpen& self, std::size_t count) { self->reserve(count); },
            nb::arg("count"), "Makes room for so many on this rank.")
        .def(
            "follow_flow",
            [](const ParticlesOfOpen& self) {
                const nb::gil_scoped_release unlocked;
                self->follow_flow();
            },
            "Sets the velocities of all to that of the flow where they are. Collective.")
        .def(
            "sample",
            [](const ParticlesOfOpen& self, const programs::InputTerms& inputs,
               const Values<double>& values) {
                const nb::gil_scoped_release unlocked;
                self->sample(inputs, span_of(values));
            },
            nb::arg("inputs"), nb::arg("values").noconvert(),
            "Sets an array [particle][input] to inputs at the particles, in the order of read(). "
            "Collective.");
}

} // namespace

void bind_particles(nb::module_& m, nb::class_<OpenFlow>& flow) {
    bind_group(m);
    flow.def(
        "particles",
        [](const OpenFlow& self, const programs::InputTerms& inputs, const std::array<double, 3>& drift,
           const std::string& interpolation, int points, const std::string& kind, particles::Numbers numbers,
           const std::vector<std::string>& forces, const std::vector<programs::Program>& programs) {
            numbers["drift"] = {drift.begin(), drift.end()};
            ParticleOptions options{inputs,
                                    forces,
                                    programs,
                                    interpolation_of(interpolation, points),
                                    self->options().scheme.registers(),
                                    kind,
                                    std::move(numbers)};
            const nb::gil_scoped_release unlocked;
            ParticleGroup& group = self->programs().particles(options);
            return ParticlesOfOpen{self, group};
        },
        nb::arg("inputs"), nb::kw_only(), nb::arg("drift"), nb::arg("interpolation"), nb::arg("points"),
        nb::arg("kind") = "tracer", nb::arg("numbers") = particles::Numbers(),
        nb::arg("forces") = std::vector<std::string>(),
        nb::arg("programs") = std::vector<programs::Program>(), nb::keep_alive<0, 1>(),
        "A group of particles of a kind, with its options, that goes along with all steps to come; inputs "
        "are "
        "what the kind takes of the flow, the velocity first, to which a uniform drift is added. They may "
        "name "
        "the force on some fields, and products of programs without means, which are worked out before each "
        "stage. Collective.");
}

} // namespace whorl

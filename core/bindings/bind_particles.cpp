#include "bindings/bind_particles.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base/choice.hpp"
#include "base/error.hpp"
#include "bindings/program_runs.hpp"

namespace whorl {
namespace {

// Particles of a flow, which are not to be used behind its end.
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

} // namespace

void bind_particles(nb::module_& m, nb::class_<OpenFlow>& flow) {
    nb::class_<ParticlesOfOpen>(m, "Particles", "A group of particles of a flow; see Flow.particles.")
        .def_prop_ro(
            "count", [](const ParticlesOfOpen& self) { return self->count(); }, "The number on this rank.")
        .def_prop_ro(
            "registers", [](const ParticlesOfOpen& self) { return self->registers(); },
            "The number of positions of each that the time scheme keeps.")
        .def(
            "add",
            [](const ParticlesOfOpen& self, const Values<const std::int64_t>& ids,
               const Values<const double>& positions) {
                const nb::gil_scoped_release unlocked;
                self->add(span_of(ids), span_of(positions));
            },
            nb::arg("ids").noconvert(), nb::arg("positions").noconvert(),
            "Adds those whose points this rank has; positions are [particle][axis], or "
            "[particle][register][axis].")
        .def(
            "read",
            [](const ParticlesOfOpen& self, const Values<std::int64_t>& ids, const Values<double>& positions,
               std::size_t number) {
                WHORL_REQUIRE(ids.size() == self->count() && positions.size() == 3 * self->count() &&
                                  number < self->registers(),
                              "there are " + std::to_string(self->count()) + " particles on this rank.");
                self->read(span_of(ids), span_of(positions), number);
            },
            nb::arg("ids").noconvert(), nb::arg("positions").noconvert(), nb::arg("register") = 0,
            "Sets arrays to the identities and the unwrapped positions, [particle][axis], of those on this "
            "rank, in any order.")
        .def(
            "sample",
            [](const ParticlesOfOpen& self, const std::vector<std::vector<TermTuple>>& inputs,
               const Values<double>& values) {
                const nb::gil_scoped_release unlocked;
                self->sample(terms_of(inputs), span_of(values));
            },
            nb::arg("inputs"), nb::arg("values").noconvert(),
            "Sets an array [particle][input] to inputs at the particles, in the order of read(). "
            "Collective.");
    flow.def(
        "particles",
        [](const OpenFlow& self, const std::vector<std::vector<TermTuple>>& velocity,
           const std::array<double, 3>& drift, const std::string& interpolation, int points) {
            WHORL_REQUIRE(velocity.size() == 3, "a velocity has three components.");
            ParticleOptions options{terms_of(velocity), drift, interpolation_of(interpolation, points),
                                    self->options().scheme.registers()};
            const nb::gil_scoped_release unlocked;
            ParticleGroup& group = self->programs().particles(options);
            return ParticlesOfOpen{self, group};
        },
        nb::arg("velocity"), nb::arg("drift"), nb::arg("interpolation"), nb::arg("points"),
        nb::keep_alive<0, 1>(),
        "A group of particles that moves with a velocity, given by its inputs, and a uniform drift, in all "
        "steps to come. Collective.");
}

} // namespace whorl

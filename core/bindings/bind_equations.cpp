#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bind.hpp"
#include "equations/plan.hpp"

namespace nb = nanobind;

namespace whorl {

namespace {

using equations::ClockPlan, equations::Field, equations::FluxPart, equations::Plan, equations::Round,
    equations::RowCode, equations::Source;

void bind_parts(nb::module_& m) {
    nb::class_<Field>(m, "EquationField",
                      "A field of typed equations: a rate is a sum of pairs (factor, power of |k|), and odd "
                      "has for each component whether it is odd along x, y, z.")
        .def(
            "__init__",
            [](Field* self, const std::string& name, int components, bool solenoidal, bool projected,
               const std::array<std::array<bool, 3>, 3>& odd,
               const std::vector<std::pair<double, double>>& rate) {
                Field field{name, components, solenoidal, projected, odd, {}};
                for (const auto& [factor, exponent] : rate) field.rate.push_back({factor, exponent});
                new (self) Field(field);
            },
            nb::kw_only(), nb::arg("name"), nb::arg("components") = Field().components,
            nb::arg("solenoidal") = Field().solenoidal, nb::arg("projected") = Field().projected,
            nb::arg("odd") = Field().odd, nb::arg("rate") = std::vector<std::pair<double, double>>());
    nb::class_<FluxPart>(m, "FluxPart", "A part of a flux, factor i^turn kx^a ky^b product.")
        .def(
            "__init__",
            [](FluxPart* self, int product, double factor, int a, int b, int turn) {
                new (self) FluxPart{product, factor, a, b, turn};
            },
            nb::kw_only(), nb::arg("product"), nb::arg("factor") = FluxPart().factor,
            nb::arg("a") = FluxPart().a, nb::arg("b") = FluxPart().b, nb::arg("turn") = FluxPart().turn);
    nb::class_<Source>(
        m, "MeanSource",
        "A tendency of the mean of a component, times a result of the clock unless that is -1.")
        .def(
            "__init__",
            [](Source* self, int component, double factor, int clock) {
                new (self) Source{component, factor, clock};
            },
            nb::kw_only(), nb::arg("component"), nb::arg("factor") = Source().factor,
            nb::arg("clock") = Source().clock);
    nb::class_<ClockPlan>(m, "ClockPlan",
                          "Numbers of the time and of means; inputs of the program are the time, then the "
                          "means. Numbers are pairs: that of the point program, and a result.")
        .def(
            "__init__",
            [](ClockPlan* self, const programs::InputTerms& forms,
               const std::vector<std::array<int, 2>>& means, const programs::Program& program,
               const std::vector<std::array<int, 2>>& numbers) {
                new (self) ClockPlan{forms, means, program, numbers};
            },
            nb::kw_only(), nb::arg("forms") = ClockPlan().forms, nb::arg("means") = ClockPlan().means,
            nb::arg("program"), nb::arg("numbers") = ClockPlan().numbers);
}

// The parts of a stage: inner fields and compiled rows.
void bind_parts_of_stage(nb::module_& m) {
    nb::class_<Round>(m, "Round",
                      "A round trip that makes inner fields, the products of its program; numbers are pairs: "
                      "that of the program, and a result of the clock.")
        .def(
            "__init__",
            [](Round* self, const programs::Program& program,
               const std::vector<std::array<int, 2>>& numbers) { new (self) Round{program, numbers}; },
            nb::kw_only(), nb::arg("program"), nb::arg("numbers") = Round().numbers);
    nb::class_<RowCode>(m, "RowCode",
                        "Addresses of compiled functions of rows (equations/row_code.hpp), or 0; their "
                        "numbers are double or single. On a GPU kernels have them (load_kernels()).")
        .def(
            "__init__",
            [](RowCode* self, bool of_double, std::uintptr_t load, std::uintptr_t work,
               std::uintptr_t contract, std::uintptr_t tendency, std::uintptr_t kernels) {
                new (self) RowCode{of_double, load, work, contract, tendency, kernels};
            },
            nb::kw_only(), nb::arg("of_double"), nb::arg("load") = 0, nb::arg("work") = 0,
            nb::arg("contract") = 0, nb::arg("tendency") = 0, nb::arg("kernels") = 0);
}

void bind_plan(nb::module_& m) {
    nb::class_<Plan>(m, "EquationPlan",
                     "Typed equations as numbers: tendency and coupling have the terms of each component, of "
                     "fluxes and of components.")
        .def(
            "__init__",
            [](Plan* self, const std::vector<Field>& fields, const programs::Program& point,
               const std::vector<std::array<bool, 3>>& odd_products,
               const std::vector<std::vector<FluxPart>>& fluxes, const programs::InputTerms& tendency,
               const programs::InputTerms& coupling, const programs::InputTerms& varying,
               const std::vector<int>& varying_by, const std::vector<Source>& sources, const ClockPlan& clock,
               const std::vector<std::vector<int>>& blocks, int velocity_inputs, bool amplifies,
               const std::vector<Round>& rounds, const RowCode& code) {
                new (self) Plan(equations::checked({fields, point, odd_products, fluxes, tendency, coupling,
                                                    varying, varying_by, sources, clock, rounds, blocks,
                                                    velocity_inputs, amplifies, code}));
            },
            nb::kw_only(), nb::arg("fields"), nb::arg("point"), nb::arg("odd_products"), nb::arg("fluxes"),
            nb::arg("tendency"), nb::arg("coupling"), nb::arg("varying") = Plan().varying,
            nb::arg("varying_by") = Plan().varying_by, nb::arg("sources") = Plan().sources,
            nb::arg("clock") = Plan().clock, nb::arg("blocks") = Plan().blocks,
            nb::arg("velocity_inputs") = Plan().velocity_inputs, nb::arg("amplifies") = Plan().amplifies,
            nb::arg("rounds") = std::vector<Round>(), nb::arg("code") = RowCode())
        .def_prop_ro(
            "compiled", [](const Plan& plan) { return plan.code.exists(); },
            "Whether functions of rows were compiled.");
}

} // namespace

void bind_equations(nb::module_& m) {
    bind_parts(m);
    bind_parts_of_stage(m);
    bind_plan(m);
}

} // namespace whorl

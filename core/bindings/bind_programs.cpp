#include "bindings/bind_programs.hpp"

#include <tuple>

#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/callbacks.hpp"

namespace whorl {
namespace {

// Field, factor, derivatives, power of |k|^2, and the band of |k|.
using TermTuple = std::tuple<int, double, std::array<int, 3>, int, double, double>;

std::vector<std::vector<programs::Term>> terms_of(const std::vector<std::vector<TermTuple>>& given) {
    std::vector<std::vector<programs::Term>> inputs;
    for (const auto& sum : given) {
        auto& input = inputs.emplace_back();
        for (const auto& [field, factor, derivatives, power, low, high] : sum)
            input.push_back({field, factor, derivatives, power, low, high});
    }
    return inputs;
}

} // namespace

void bind_program(nb::module_& m) {
    using programs::Program;
    nb::class_<Program>(m, "Program", "What is worked out at each point; see whorl.programs.plan.")
        .def(
            "__init__",
            [](Program* self, const std::vector<std::vector<TermTuple>>& inputs,
               const std::vector<double>& numbers, const std::vector<programs::Instruction>& instructions,
               const std::vector<int>& results, const std::vector<std::array<bool, 3>>& parities) {
                new (self) Program{terms_of(inputs), numbers, instructions, results, parities};
            },
            nb::arg("inputs"), nb::arg("numbers"), nb::arg("instructions"), nb::arg("results"),
            nb::arg("parities"));
    m.def(
        "operations",
        [] {
            std::map<std::string, int> known;
            for (const auto& [name, arguments] : programs::operation_names) known[name] = arguments;
            return known;
        },
        "The operations of programs with their numbers of arguments.");
}

void bind_programs(nb::class_<OpenFlow>& flow) {
    flow.def(
        "run_program",
        [](OpenFlow& self, const programs::Program& program, std::array<int, 3> wanted,
           const nb::callable& consume) {
            const auto typed = block_callback(consume, self->options().is_double());
            nb::gil_scoped_release unlocked;
            return self->run_program(program, {wanted[0], wanted[1], wanted[2]}, typed);
        },
        nb::arg("program"), nb::arg("wanted"), nb::arg("consume"),
        "Returns the means of a program, whose results are `wanted` means, products and values; calls "
        "consume "
        "as read_fields does with the values.");
    flow.def("forget_products", of_open(&Flow::forget_products),
             "Frees the products that programs have brought back.");
}

} // namespace whorl

#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "bindings/bind.hpp"
#include "programs/evaluate.hpp"
#include "programs/mode_bins.hpp"
#include "programs/program.hpp"

namespace nb = nanobind;

namespace whorl {
namespace {

void bind_inputs(nb::module_& m) {
    using programs::Sector, programs::Term;
    nb::class_<Sector>(m, "Sector", "Modes at an angle in [low, high) from an axis; all without an axis.")
        .def(
            "__init__",
            [](Sector* self, int axis, double low, double high) {
                WHORL_REQUIRE(axis >= -1 && axis < 3, "there is no such axis of a sector.");
                new (self) Sector{axis, low, high};
            },
            nb::kw_only(), nb::arg("axis") = Sector().axis, nb::arg("low") = Sector().low,
            nb::arg("high") = Sector().high);
    nb::class_<Term>(m, "Term",
                     "A multiplier of the modes times a field, known by its number; see "
                     "whorl.expressions.linear.")
        .def(
            "__init__",
            [](Term* self, int field, double factor, const std::array<int, 3>& derivatives, int power,
               double low, double high, double radius, const Sector& sector, int turn, double exponent,
               double width, double screen) {
                new (self) Term{field,  factor, derivatives, power,    low,   high,
                                radius, sector, turn,        exponent, width, screen};
            },
            nb::kw_only(), nb::arg("field"), nb::arg("factor") = Term().factor,
            nb::arg("derivatives") = Term().derivatives, nb::arg("power") = Term().power,
            nb::arg("low") = Term().low, nb::arg("high") = Term().high, nb::arg("radius") = Term().radius,
            nb::arg("sector") = Term().sector, nb::arg("turn") = Term().turn,
            nb::arg("exponent") = Term().exponent, nb::arg("width") = Term().width,
            nb::arg("screen") = Term().screen)
        .def_ro("field", &Term::field)
        .def_ro("factor", &Term::factor);
}

void bind_program_class(nb::module_& m) {
    using programs::Program, programs::Returned;
    nb::class_<Returned>(m, "Returned",
                         "A product of a program that is a part of a field, by the field's number.")
        .def(
            "__init__",
            [](Returned* self, int field, double factor, const std::array<int, 3>& derivatives,
               const std::array<bool, 3>& parity) {
                new (self) Returned{field, factor, derivatives, parity};
            },
            nb::kw_only(), nb::arg("field"), nb::arg("factor") = Returned().factor,
            nb::arg("derivatives") = Returned().derivatives, nb::arg("parity") = Returned().parity);
    nb::class_<Program>(m, "Program", "Operations at each point; see whorl.expressions.plan.")
        .def(
            "__init__",
            [](Program* self, const programs::InputTerms& inputs, const std::vector<double>& numbers,
               const std::vector<programs::Instruction>& instructions, const std::vector<int>& results,
               const std::vector<Returned>& products) {
                new (self) Program{inputs, numbers, instructions, results, products};
            },
            nb::kw_only(), nb::arg("inputs"), nb::arg("numbers") = Program().numbers,
            nb::arg("instructions") = Program().instructions, nb::arg("results"),
            nb::arg("products") = Program().products)
        .def_rw("numbers", &Program::numbers, "Numbers, which may differ at each run.")
        .def_prop_ro(
            "places", [](const Program& self) { return programs::compiled(self).places; },
            "Where the interpreter keeps numbers, coordinates and results.")
        .def_prop_ro(
            "fluxes", [](const Program& self) { return programs::fluxes_of(self.products).size(); },
            "The number of products on the leg of columns.");
}

programs::ModeCoordinate coordinate_of(const std::string& name) {
    using enum programs::ModeCoordinate;
    static const std::map<std::string, programs::ModeCoordinate> coordinates{
        {"size", size}, {"along", along}, {"across", across}, {"angle", angle}};
    WHORL_REQUIRE(coordinates.contains(name), "modes have no coordinate " + name + ".");
    return coordinates.at(name);
}

programs::HistogramShape shape_of(const std::vector<int>& bins, int weights) {
    WHORL_REQUIRE(bins.size() == 1 || bins.size() == 2, "a histogram has one or two axes.");
    return {static_cast<int>(bins.size()), {bins.front(), bins.back()}, weights};
}

void bind_bins(nb::module_& m) {
    using programs::ModeAxis, programs::HistogramShape;
    nb::class_<ModeAxis>(m, "ModeAxis",
                         "Bins along a coordinate of the wavenumber: size, along, across or angle.")
        .def(
            "__init__",
            [](ModeAxis* self, const std::string& of, int axis, const std::vector<double>& edges) {
                new (self) ModeAxis{coordinate_of(of), axis, edges};
            },
            nb::kw_only(), nb::arg("of"), nb::arg("axis") = ModeAxis().axis, nb::arg("edges"));
    nb::class_<HistogramShape>(m, "HistogramShape", "The bins of one or two axes, and the number of weights.")
        .def(
            "__init__",
            [](HistogramShape* self, const std::vector<int>& bins, int weights) {
                new (self) HistogramShape(shape_of(bins, weights));
            },
            nb::kw_only(), nb::arg("bins"), nb::arg("weights") = HistogramShape().weights);
}

void bind_results(nb::module_& m) {
    using programs::Found, programs::Counted, programs::HistogramShape, programs::Wanted;
    nb::class_<Wanted>(m, "Wanted",
                       "The results of a program: means, maxima, products, values at every point, then the "
                       "operands of histograms. The last means are by plane, across axes 1 = y or 2 = z.")
        .def(
            "__init__",
            [](Wanted* self, int means, int maxima, int products, int values,
               const std::vector<HistogramShape>& histograms, const std::vector<int>& planes) {
                new (self) Wanted{means, maxima, products, values, histograms, planes};
            },
            nb::kw_only(), nb::arg("means") = Wanted().means, nb::arg("maxima") = Wanted().maxima,
            nb::arg("products") = Wanted().products, nb::arg("values") = Wanted().values,
            nb::arg("histograms") = Wanted().histograms, nb::arg("planes") = Wanted().planes);
    nb::class_<Counted>(m, "Counted", "The counts of a histogram by cell, and by weight the sums by cell.")
        .def_ro("counts", &Counted::counts)
        .def_ro("sums", &Counted::sums);
    nb::class_<Found>(m, "Found",
                      "The means and maxima of a program, its histograms, and the means by plane.")
        .def_ro("means", &Found::means)
        .def_ro("maxima", &Found::maxima)
        .def_ro("histograms", &Found::histograms)
        .def_ro("planes", &Found::planes);
}

} // namespace

void bind_terms(nb::module_& m) {
    bind_inputs(m);
    bind_program_class(m);
    bind_bins(m);
    bind_results(m);
}

} // namespace whorl

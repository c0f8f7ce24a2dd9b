// Programs (programs/program.hpp) in Python.
#pragma once

#include <tuple>

#include "bindings/bind.hpp"
#include "programs/program.hpp"

namespace whorl {

// Field, factor, derivatives, power of |k|^2, the band of |k|, the radius of an average or 0, and a sector:
// its axis or -1, and its angles.
using SectorTuple = std::tuple<int, double, double>;
using TermTuple = std::tuple<int, double, std::array<int, 3>, int, double, double, double, SectorTuple>;
programs::InputTerms terms_of(const std::vector<std::vector<TermTuple>>& given);

void bind_program(nb::module_& m);
void bind_programs(nb::module_& m, nb::class_<OpenFlow>& flow);

} // namespace whorl

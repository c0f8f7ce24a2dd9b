// Programs (programs/program.hpp) in Python.
#pragma once

#include "bindings/bind.hpp"
#include "programs/program.hpp"

namespace whorl {

void bind_program(nb::module_& m);
void bind_programs(nb::module_& m, nb::class_<OpenFlow>& flow);

} // namespace whorl

// Particles (particles/group.hpp) in Python.
#pragma once

#include "bindings/bind_programs.hpp"

namespace whorl {

void bind_particles(nb::module_& m, nb::class_<OpenFlow>& flow);

} // namespace whorl

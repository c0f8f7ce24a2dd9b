// Access of Python to the fields of a flow: their values at the points, their modes, and files of them.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/open_flow.hpp"

namespace nb = nanobind;

namespace whorl {

// Values of several types by name.
using Named = nb::typed<nb::dict, nb::str, nb::any>;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

void bind_snapshots(nb::module_& m);
void bind_fields(nb::class_<OpenFlow>& flow);

} // namespace whorl

// Access of Python to the sources of a flow.
#pragma once

#include "bindings/bind_fields.hpp"

namespace whorl {

void bind_source(nb::module_& m);
void bind_forcing(nb::class_<OpenFlow>& flow);

} // namespace whorl

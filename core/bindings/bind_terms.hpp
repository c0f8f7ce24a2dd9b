// Questions to programs and their answers in Python: classes whose arguments have names.
#pragma once

#include <nanobind/nanobind.h>

namespace whorl {

void bind_terms(nanobind::module_& m);

} // namespace whorl

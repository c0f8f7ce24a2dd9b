// Fills the Python module of a core. Compiled once for all instruction levels.
#pragma once

#include <nanobind/nanobind.h>

namespace whorl {

// The way in which the core of a module was built.
struct BuiltCore {
    const char *version, *compiler, *flags, *level;
};

void bind_module(nanobind::module_& m, const BuiltCore& core);

} // namespace whorl

// Declarations of a model's fields: those of its state, and those that can be read from it.
#pragma once

#include <array>

#include "base/parity.hpp"

namespace whorl {

// A solenoidal field has three components with k.a = 0.
struct FieldGroup {
    const char* name;
    int components;
    bool solenoidal;
};

struct Output {
    const char* name;
    int components;
    std::array<Parity, 3> parities; // of the components
};

} // namespace whorl

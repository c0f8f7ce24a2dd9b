// What a model says of its fields: those that make its state, and those that can be read from it. `parity` of
// a component has bit 0, 1, 2 set where it is a sine, not a cosine, along a wall axis x, y, z.
#pragma once

namespace whorl {

// A solenoidal field has three components and k.a = 0.
struct FieldGroup {
    const char* name;
    int components;
    bool solenoidal;
};

struct Output {
    const char* name;
    int components;
    int parity[3];
};

} // namespace whorl

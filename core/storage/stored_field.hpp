#pragma once

#include <string>
#include <vector>

#include "base/complex.hpp"

namespace whorl::storage {

// A field of the state as a checkpoint holds it. Of a solenoidal one, two components of every mode, in the
// order x, y, z without the dependent one (models/continuity.hpp); x and y of the mean. A scalar as it is.
template <class Real> struct StoredField {
    std::string name;
    bool solenoidal;
    Complex<Real>* data;

    // Of its datasets, one a stored component: shape (modes, 2), real and imaginary part, in the order of
    // ModeOrder.
    std::vector<std::string> datasets() const {
        if (!solenoidal) return {name};
        return {name + "_first", name + "_second"};
    }
};

} // namespace whorl::storage

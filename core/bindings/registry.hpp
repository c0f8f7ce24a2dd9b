// How a model is entered: a file models_<name>.cpp that makes it from Options in either precision, and a line
// in models.cpp.
#pragma once

#include <functional>

#include "bindings/flow.hpp"

namespace whorl {

struct ModelEntry {
    std::function<std::unique_ptr<Flow>(const Options&, int communicator)> make;
    std::function<ModelShape(const Options&)> shape;
};

ModelEntry boussinesq_entry();
ModelEntry ginzburg_landau_entry();
ModelEntry gross_pitaevskii_entry();
ModelEntry mhd_entry();
ModelEntry navier_stokes_entry();
ModelEntry navier_stokes_2d_entry();
ModelEntry quasi_static_mhd_entry();
ModelEntry rayleigh_benard_entry();

} // namespace whorl

// The registry of models. A model has a file models_<name>.cpp, which makes it from Options in either
// precision and is compiled once for each device, and a line in models.cpp.
#pragma once

#include <functional>

#include "flow/flow.hpp"

namespace whorl {

struct ModelEntry {
    std::function<std::unique_ptr<Flow>(const Options&, int communicator)> make;
    std::function<ModelShape(const Options&)> shape;
};

template <class Device> ModelEntry boussinesq_entry();
template <class Device> ModelEntry ginzburg_landau_entry();
template <class Device> ModelEntry gross_pitaevskii_entry();
template <class Device> ModelEntry mhd_entry();
template <class Device> ModelEntry navier_stokes_entry();
template <class Device> ModelEntry navier_stokes_2d_entry();
template <class Device> ModelEntry quasi_static_mhd_entry();
template <class Device> ModelEntry rayleigh_benard_entry();

} // namespace whorl

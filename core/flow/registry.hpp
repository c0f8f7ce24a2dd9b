// The registry of models: a line here and one in models.cpp for each. Only models.cpp includes it, so that a
// new model compiles nothing else.
#pragma once

#include "flow/flow.hpp"

namespace whorl {

template <class Device> ModelEntry boussinesq_entry();
template <class Device> ModelEntry equations_entry();
template <class Device> ModelEntry ginzburg_landau_entry();
template <class Device> ModelEntry gross_pitaevskii_entry();
template <class Device> ModelEntry mhd_entry();
template <class Device> ModelEntry navier_stokes_entry();
template <class Device> ModelEntry navier_stokes_2d_entry();
template <class Device> ModelEntry quasi_static_mhd_entry();
template <class Device> ModelEntry rayleigh_benard_entry();

} // namespace whorl

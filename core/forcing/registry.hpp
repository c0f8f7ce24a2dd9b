// The registry of sources: a kind has a file, whose function makes it, and a line here and in registry.cpp.
#pragma once

#include <memory>

#include "base/error.hpp"
#include "forcing/source.hpp"

namespace whorl::forcing {

std::unique_ptr<Source> make_alvelius(const SourceOptions& options, const Surroundings& around);
std::unique_ptr<Source> make_constant_energy(const SourceOptions& options, const Surroundings& around);
std::unique_ptr<Source> make_constant_power(const SourceOptions& options, const Surroundings& around);
std::unique_ptr<Source> make_given(const SourceOptions& options, const Surroundings& around);
std::unique_ptr<Source> make_linear(const SourceOptions& options, const Surroundings& around);
std::unique_ptr<Source> make_stochastic(const SourceOptions& options, const Surroundings& around);

// Throws Error with the list of kinds if none has this name, or with the name of an impossible option.
std::unique_ptr<Source> make_source(const SourceOptions& options, const Surroundings& around);

// The rank's modes of the band. Throws Error, on all ranks, where the band has no modes.
ForcedModes modes_for(const SourceOptions& options, const Surroundings& around);

// The amplitude of a force as a function of |k|: 1, or the square root of a Gaussian of standard deviation
// `width` about `peak`, both in units of the smallest wavenumber of the box.
double shape_of(const SourceOptions& options, const ForcedMode& mode, const Box& box);

} // namespace whorl::forcing

// The registry of kinds of particles.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "particles/kind.hpp"

namespace whorl::particles {

// Throws Error listing the kinds if there is no such kind, or if an option is missing.
std::unique_ptr<Kind> make_kind(const std::string& name, const KindOptions& options);

} // namespace whorl::particles

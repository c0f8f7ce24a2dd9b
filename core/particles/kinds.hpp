// The registry of kinds of particles.
#pragma once

#include <array>
#include <string>
#include <variant>

#include "base/choice.hpp"
#include "particles/charged.hpp"
#include "particles/inertial.hpp"
#include "particles/molecular.hpp"
#include "particles/tracer.hpp"

namespace whorl::particles {

using AnyKind = std::variant<Tracer, Inertial, Molecular, Charged>;

// Throws Error with the list of kinds if none has this name, or if an option is missing.
inline AnyKind make_kind(const std::string& name, const KindOptions& options) {
    require_one_of("kind", name, std::array{Tracer::name, Inertial::name, Molecular::name, Charged::name});
    if (name == Tracer::name) return Tracer(options);
    if (name == Inertial::name) return Inertial(options);
    if (name == Molecular::name) return Molecular(options);
    return Charged(options);
}

} // namespace whorl::particles

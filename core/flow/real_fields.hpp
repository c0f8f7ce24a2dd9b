// Modes that are those of a real field.
#pragma once

#include <cmath>
#include <numeric>
#include <string>

#include "base/error.hpp"
#include "fields/physical.hpp"
#include "measure/state.hpp"

namespace whorl {

// Takes the modes of the force on a field to the points and back. Throws Error where they were not those of a
// real field, to rounding. Collective.
template <class Device, class Real>
void make_real(RoundTrip<Device, Real>& trip, const ModeSet<Device, Real>& set, const FieldModes<Real>& force,
               const std::string& field) {
    const auto energy = [&] {
        const auto by_shell =
            energy_spectrum(set, FieldView<Real>{force.data, force.modes}, force.components);
        return std::accumulate(by_shell.begin(), by_shell.end(), 0.0);
    };
    constexpr double rounding = sizeof(Real) == sizeof(double) ? 1e-10 : 1e-5;
    const double given = energy();
    transform_pair(trip, force);
    const double lost = std::abs(given - energy());
    WHORL_REQUIRE(lost <= rounding * given,
                  "the modes of the force on the " + field +
                      " are those of no real field: " + shown(lost / given) +
                      " of their energy is in modes that are not the conjugates of their opposites (kx = 0), "
                      "or not real, or imaginary, where the field is a cosine, or sine, between walls.");
}

} // namespace whorl

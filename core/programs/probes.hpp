// Values of inputs at single modes and at single points, from the modes and without a round trip. f^ are the
// Fourier coefficients of a field, or of its odd or even extension between walls.
//   at a mode:   f^(k), the conjugate of f^(-k) if only -k is stored.
//   at a point:  f(x) = sum over all modes of f^(k) exp(i k.x), one axis after another.
// Sums are in double precision. The bits of values at modes depend on neither ranks nor threads. Values at
// points do not depend on threads; on ranks and devices they depend by the rounding of the sums.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "exchange/communicator.hpp"
#include "grid/truncation.hpp"
#include "programs/program_parts.hpp"
#include "roundtrip/forward.hpp"

namespace whorl::programs {

using ModeNumbers = std::array<int, 3>; // in units of the smallest wavenumber of each axis
using Position = std::array<double, 3>; // x, y, z in units of length

// Points: the number of partial sums along x and, on a GPU, the most z at a time.
inline constexpr int lanes_of_sums = 8, most_levels = 16;

// A probe that is read again and again. All that does not depend on the state is prepared.
template <class Real> class Probe {
  public:
    virtual ~Probe() = default;
    // The number of values: of modes [input][mode][re, im], of points [input][point].
    virtual std::size_t size() const = 0;
    // Reads the present state; the values are those of all ranks. Collective.
    virtual void read(const std::vector<NamedField<Real>>& named_fields, std::span<double> values) = 0;
};

// Throw Error if a mode is not kept, or if an input has no terms or, between walls, terms of unlike parities.
template <class Device, class Real>
std::unique_ptr<Probe<Real>> probe_modes(RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
                                         const Truncation& truncation, const InputTerms& inputs,
                                         const std::vector<ModeNumbers>& modes);
template <class Device, class Real>
std::unique_ptr<Probe<Real>> probe_points(RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
                                          const Box& box, const Truncation& truncation,
                                          const InputTerms& inputs, const std::vector<Position>& positions);

} // namespace whorl::programs

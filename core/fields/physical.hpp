// Transforms fields of the state to the points and back, a batch of planes at a time (fields/passes.hpp).
#pragma once

#include <array>

#include "base/complex.hpp"
#include "base/parity.hpp"
#include "grid/physical_block.hpp"
#include "roundtrip/forward.hpp"

namespace whorl {

// A field of the state, or one derived from it: `components` components, one after another.
template <class Real> struct FieldModes {
    Complex<Real>* data;
    std::int64_t modes;
    int components;
    std::array<Parity, 3> parities;
};

// Both call back once for each batch of planes, equally often on every rank.
template <class Device, class Real>
void read_points(RoundTrip<Device, Real>& trip, const FieldModes<Real>& field,
                 const BlockCallback<Real>& consume);
template <class Device, class Real>
void write_points(RoundTrip<Device, Real>& trip, const FieldModes<Real>& field, bool make_solenoidal,
                  const BlockCallback<Real>& fill);

// Transforms a field to the points and back.
template <class Device, class Real>
void transform_pair(RoundTrip<Device, Real>& trip, const FieldModes<Real>& field);

} // namespace whorl

// Compiled once for each device.
#include "fields/physical.hpp"

#include "device/chosen.hpp"
#include "fields/passes.hpp"
#include "roundtrip/run.hpp"

namespace whorl {

namespace {

// Calls f(n) with the number of components as a constant.
template <class F> void with_components(int components, const F& f) {
    if (components == 1) return f(std::integral_constant<int, 1>{});
    if (components == 2) return f(std::integral_constant<int, 2>{});
    f(std::integral_constant<int, 3>{});
}

} // namespace

template <class Device, class Real>
void read_points(RoundTrip<Device, Real>& trip, const FieldModes<Real>& field,
                 const BlockCallback<Real>& consume) {
    Staging<Device, Real> staging(trip, field.components);
    const BlockCallback<Real> call = staging.consumer(consume);
    trip.shift({0.0, 0.0, 0.0});
    with_components(field.components, [&](auto n) {
        ReadField<Real, n> pass(field.data, field.modes, field.parities,
                                {{staging.points.data(), block_of(trip)}, &call});
        trip.run(pass);
    });
}

template <class Device, class Real>
void write_points(RoundTrip<Device, Real>& trip, const FieldModes<Real>& field, bool make_solenoidal,
                  const BlockCallback<Real>& fill) {
    Staging<Device, Real> staging(trip, field.components);
    const BlockCallback<Real> call = staging.filler(fill);
    trip.shift({0.0, 0.0, 0.0});
    with_components(field.components, [&](auto n) {
        WriteField<Real, n> pass(field.data, field.modes, field.parities, make_solenoidal,
                                 {{staging.points.data(), block_of(trip)}, &call});
        trip.run(pass);
    });
    trip.device().finish();
}

template <class Device, class Real>
void transform_pair(RoundTrip<Device, Real>& trip, const FieldModes<Real>& field) {
    with_components(field.components, [&](auto n) {
        TransformPair<Real, n> pass(field.data, field.modes, field.parities);
        trip.run(pass);
    });
}

#define WHORL_INSTANTIATE(Real)                                                                              \
    template void transform_pair(RoundTrip<device::Chosen, Real>&, const FieldModes<Real>&);                 \
    template void read_points(RoundTrip<device::Chosen, Real>&, const FieldModes<Real>&,                     \
                              const BlockCallback<Real>&);                                                   \
    template void write_points(RoundTrip<device::Chosen, Real>&, const FieldModes<Real>&, bool,              \
                               const BlockCallback<Real>&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl

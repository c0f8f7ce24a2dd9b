#include "fields/physical.hpp"

#include "roundtrip/run.hpp"

namespace whorl {

namespace {

template <class Real> PhysicalBlock block_of(const RoundTrip<Real>& trip) {
    return {trip.layout().z, trip.layout().y, trip.layout().nx};
}

// Room for the points of a batch of planes.
template <class Real> device::Buffer<Real> make_staging(const RoundTrip<Real>& trip, int components) {
    PhysicalBlock largest = block_of(trip);
    largest.z = {0, trip.layout().largest_batch()};
    return device::Buffer<Real>(static_cast<std::size_t>(components * largest.points()));
}

// f(n) with the number of components a constant.
template <class F> void with_components(int components, const F& f) {
    if (components == 1) return f(std::integral_constant<int, 1>{});
    if (components == 2) return f(std::integral_constant<int, 2>{});
    f(std::integral_constant<int, 3>{});
}

} // namespace

template <class Real>
void read_points(RoundTrip<Real>& trip, const FieldModes<Real>& field, const BlockCallback<Real>& consume) {
    device::Buffer<Real> staging = make_staging(trip, field.components);
    trip.shift({0.0, 0.0, 0.0});
    with_components(field.components, [&](auto n) {
        ReadField<Real, n> pass(field.data, field.modes, field.parities,
                                {{staging.data(), block_of(trip)}, &consume});
        trip.run(pass);
    });
}

template <class Real>
void write_points(RoundTrip<Real>& trip, const FieldModes<Real>& field, bool make_solenoidal,
                  const BlockCallback<Real>& fill) {
    device::Buffer<Real> staging = make_staging(trip, field.components);
    trip.shift({0.0, 0.0, 0.0});
    with_components(field.components, [&](auto n) {
        WriteField<Real, n> pass(field.data, field.modes, field.parities, make_solenoidal,
                                 {{staging.data(), block_of(trip)}, &fill});
        trip.run(pass);
    });
}

template <class Real> void transform_pair(RoundTrip<Real>& trip, const FieldModes<Real>& field) {
    with_components(field.components, [&](auto n) {
        TransformPair<Real, n> pass(field.data, field.modes, field.parities);
        trip.run(pass);
    });
}

template void transform_pair(RoundTrip<float>&, const FieldModes<float>&);
template void transform_pair(RoundTrip<double>&, const FieldModes<double>&);
template void read_points(RoundTrip<float>&, const FieldModes<float>&, const BlockCallback<float>&);
template void read_points(RoundTrip<double>&, const FieldModes<double>&, const BlockCallback<double>&);
template void write_points(RoundTrip<float>&, const FieldModes<float>&, bool, const BlockCallback<float>&);
template void write_points(RoundTrip<double>&, const FieldModes<double>&, bool, const BlockCallback<double>&);

} // namespace whorl

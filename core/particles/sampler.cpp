// Compiled once for each device.
#include "particles/sampler.hpp"

#include <algorithm>

#include "device/chosen.hpp"
#include "particles/device_particle_set.hpp"
#include "particles/particle_set.hpp"
#include "roundtrip/run.hpp"

namespace whorl::particles {

namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

struct Places {
    GridAxis axes[3];
    const double* positions;
    double* places;
    WHORL_ANYWHERE void operator()(std::size_t p) const {
        for (std::size_t a = 0; a < 3; ++a) places[3 * p + a] = axes[a].place(positions[3 * p + a]);
    }
};

struct Zeros {
    double* values;
    WHORL_ANYWHERE void operator()(std::size_t i) const { values[i] = 0.0; }
};

} // namespace

template <class Device, class Real>
Sampler<Device, Real>::Sampler(RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
                               const Box& box, const Interpolation& interpolation,
                               programs::InputTerms inputs)
    : trip_(trip), host_(Device::streams ? 0 : trip.device().executors()), interpolation_(interpolation),
      ownership_(box, trip.pencils(), world.rank()), ghosts_(world, ownership_, interpolation),
      inputs_(std::move(inputs), trip.layout()), begins_(at(box.points[2]) + 1) {
    if (trip.shown_rows() == 0) {
        constexpr int of_threads = 8;
        array_ = {nullptr, block_of(trip), Device::streams ? 1 : of_threads};
        values_ = device::Buffer<Real, Memory>(
            at(1LL * variables() * trip.layout().largest_point_batch() * array_.plane()),
            trip.device().executors());
        array_.data = values_.data();
    }
    for (int axis = 0; axis < 3; ++axis)
        prefilter_.axes[at(axis)] =
            box.flat(axis) ? Prefilter() : Prefilter(interpolation, box.spacing(axis));
    make_tables();
}

template <class Device, class Real> void Sampler<Device, Real>::make_tables() {
    const ModeTables<Real> modes = trip_.modes();
    if constexpr (Device::streams) {
        static_cast<void>(modes); // factors are computed where they are used
    } else {
        const std::array<std::pair<const Real*, int>, 3> numbers{{{modes.kx, trip_.table().kx().size()},
                                                                  {modes.ky, trip_.table().height()},
                                                                  {modes.kz, modes.nz}}};
        for (std::size_t a = 0; a < 3; ++a)
            for (int i = 0; i < numbers[a].second; ++i)
                factors_[a].push_back(
                    static_cast<Real>(prefilter_.axes[a].of(static_cast<double>(numbers[a].first[i]))));
        prefilter_.x = factors_[0].data();
        prefilter_.y = factors_[1].data();
        prefilter_.z = factors_[2].data();
    }
}

template <class Device, class Real>
void Sampler<Device, Real>::sample(const std::vector<programs::NamedField<Real>>& named_fields,
                                   std::span<const double> positions, std::span<double> values)
    requires(!Device::Memory::separate)
{
    ghosts_.exchange({ownership_.axis(0), ownership_.axis(1), ownership_.axis(2)}, positions);
    refer_to(named_fields);
    trip_.shift({0.0, 0.0, 0.0});
    if (trip_.shown_rows() > 0) return gather_planewise(positions, values);
    place(positions);
    sort();
    sums_.assign(places_.size() / 3 * at(variables()), 0.0);
    run();
    std::copy_n(sums_.begin(), values.size(), values.begin());
    ghosts_.give_back({sums_.begin() + static_cast<std::ptrdiff_t>(values.size()), sums_.end()}, values,
                      at(variables()));
}

template <class Device, class Real>
void Sampler<Device, Real>::sample(const std::vector<programs::NamedField<Real>>& named_fields,
                                   const double* positions, std::size_t count,
                                   device::Buffer<double, Memory>& values)
    requires(Device::Memory::separate)
{
    const bool alone = ghosts_.neighbours().count() == 0;
    std::vector<double> here(alone ? 0 : 3 * count);
    Memory::to_host(here.data(), positions, here.size() * sizeof(double));
    ghosts_.exchange({ownership_.axis(0), ownership_.axis(1), ownership_.axis(2)}, here);
    refer_to(named_fields);
    trip_.shift({0.0, 0.0, 0.0});
    place(positions, count);
    const std::size_t own = count * at(variables()), all = at(count_there_) * at(variables());
    make_room(values, all);
    sums_there_ = values.data();
    for_all(trip_.device(), host_, all, Zeros{sums_there_});
    run();
    if (alone) return;
    sums_.resize(all);
    Memory::to_host(sums_.data(), sums_there_, all * sizeof(double));
    const std::span<double> sums = sums_;
    ghosts_.give_back(sums.subspan(own), sums.first(own), at(variables()));
    Memory::from_host(sums_there_, sums_.data(), own * sizeof(double));
}

template <class Device, class Real>
void Sampler<Device, Real>::place(const double* positions, std::size_t count) {
    const std::span<const double> of_ghosts = ghosts_.positions();
    make_room(places_there_, 3 * count + of_ghosts.size());
    for_all(trip_.device(), host_, count,
            Places{{ownership_.axis(0), ownership_.axis(1), ownership_.axis(2)},
                   positions,
                   places_there_.data()});
    count_there_ = static_cast<std::int64_t>(count + of_ghosts.size() / 3);
    places_.clear();
    for (std::size_t p = 0; p < of_ghosts.size(); p += 3)
        for (const double place : ownership_.place(&of_ghosts[p])) places_.push_back(place);
    Memory::from_host(places_there_.data() + 3 * count, places_.data(), places_.size() * sizeof(double));
}

template <class Device, class Real>
void Sampler<Device, Real>::refer_to(const std::vector<programs::NamedField<Real>>& named_fields) {
    inputs_.refer_to(named_fields);
    sampled_.clear();
    parities_.clear();
    for (int v = 0; v < variables(); ++v) {
        SampledInput<Real>& one = sampled_.emplace_back();
        static_cast<programs::LinearInput<Real>&>(one) = inputs_.on_host()[v];
        one.prefilter = prefilter_;
        parities_.push_back(one.parity);
    }
}

template <class Device, class Real>
void Sampler<Device, Real>::gather_planewise(std::span<const double> positions, std::span<double> values) {
    if (!planewise_ || planewise_->parities() != parities_) // memory of a product may serve another one
        planewise_ = std::make_unique<PlanewiseGather<Real>>(
            std::array{ownership_.axis(0), ownership_.axis(1), ownership_.axis(2)}, interpolation_,
            parities_);
    planewise_->begin(host_, {{}, variables()}, positions, ghosts_.positions());
    const std::vector<PointTap<Real>*> taps{planewise_.get()};
    ShownInputs<Real> pass;
    static_cast<SampledInput<Real>&>(pass) = sampled_.front();
    pass.sampled = sampled_.data();
    pass.count = variables();
    pass.taps = &taps;
    trip_.run(pass);
    const std::span<const double> sums = planewise_->finish(host_);
    std::ranges::copy(sums.first(values.size()), values.begin());
    ghosts_.give_back(sums.subspan(values.size()), values, at(variables()));
}

template <class Device, class Real> void Sampler<Device, Real>::place(std::span<const double> positions) {
    const std::span<const double> of_ghosts = ghosts_.positions();
    places_.resize(positions.size() + of_ghosts.size());
    in_parts(host_, places_.size() / 3, [&](std::size_t p) {
        const double* const position =
            3 * p < positions.size() ? &positions[3 * p] : &of_ghosts[3 * p - positions.size()];
        std::ranges::copy(ownership_.place(position), &places_[3 * p]);
    });
}

// A counting sort by the plane of the particles' cells.
template <class Device, class Real> void Sampler<Device, Real>::sort() {
    const std::size_t count = places_.size() / 3;
    std::ranges::fill(begins_, 0);
    for (std::size_t p = 0; p < count; ++p) ++begins_[at(ownership_.point(2, places_[3 * p + 2])) + 1];
    for (std::size_t z = 1; z < begins_.size(); ++z) begins_[z] += begins_[z - 1];
    order_.resize(count);
    std::vector<std::uint32_t> next = begins_;
    for (std::size_t p = 0; p < count; ++p)
        order_[at(next[at(ownership_.point(2, places_[3 * p + 2]))]++)] = static_cast<std::uint32_t>(p);
}

template <class Device, class Real> void Sampler<Device, Real>::run() {
    parities_there_ = device::Table<Parity, Memory>(parities_);
    const BlockCallback<Real> at_batch = [&](const PhysicalBlock& block, Real* values) {
        gather(block, values);
    };
    SamplePass<Real> pass;
    static_cast<SampledInput<Real>&>(pass) = sampled_.front();
    pass.sampled = sampled_.data();
    pass.count = variables();
    pass.array = array_;
    pass.at_batch = &at_batch;
    trip_.run(pass);
    trip_.device().finish();
}

// Adds to particles in cells from half a stencil below the planes to half a stencil above.
template <class Device, class Real>
void Sampler<Device, Real>::gather(const PhysicalBlock& block, const Real* values) {
    const LaneArray<Real> array{const_cast<Real*>(values), block, array_.lanes};
    const GridAxis& axis = ownership_.axis(2);
    const int half = interpolation_.points / 2, n = axis.points;
    int first = block.z.begin - half, last = block.z.end + half - 1; // cells [first, last)
    if (block.points() == 0) return;
    if constexpr (Memory::separate) return gather(array, 0, count_there_); // they are not sorted
    if (n == 1 || last - first >= n) return gather(array, 0, begins_.back());
    const auto begin_of = [&](int z) { return begins_[at(z)]; };
    if (axis.wall) return gather(array, begin_of(std::max(first, 0)), begin_of(std::min(last, n)));
    if (first < 0) gather(array, begin_of(first + n), begin_of(n));
    if (last > n) gather(array, begin_of(0), begin_of(last - n));
    gather(array, begin_of(std::max(first, 0)), begin_of(std::min(last, n)));
}

template <class Device, class Real>
void Sampler<Device, Real>::gather(const LaneArray<Real>& array, std::int64_t begin, std::int64_t end) {
    if (begin == end) return;
    switch (interpolation_.points) {
    case 4:
        return gather_of<4>(array, begin, end);
    case 6:
        return gather_of<6>(array, begin, end);
    case 8:
        return gather_of<8>(array, begin, end);
    default:
        return gather_of<0>(array, begin, end);
    }
}

template <class Device, class Real>
template <int points>
void Sampler<Device, Real>::gather_of(const LaneArray<Real>& array, std::int64_t begin, std::int64_t end) {
    constexpr int on_streams = 256, on_threads = 1;
    const bool there = Memory::separate;
    const Gather<Real, points> kernel{
        interpolation_,
        {ownership_.axis(0), ownership_.axis(1), ownership_.axis(2)},
        parities_there_.data(),
        variables(),
        array,
        {there ? nullptr : order_.data(), there ? places_there_.data() : places_.data(), begin, end},
        there ? sums_there_ : sums_.data(),
        Device::streams ? on_streams : on_threads};
    trip_.device().over(kernel.rows(), kernel);
    trip_.device().finish();
}

#define WHORL_INSTANTIATE(Real) template class Sampler<device::Chosen, Real>;
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl::particles

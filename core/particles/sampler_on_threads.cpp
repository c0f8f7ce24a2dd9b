#include <algorithm>

#include "particles/particle_set.hpp"
#include "particles/sampler.hpp"
#include "roundtrip/run.hpp"

namespace whorl::particles {

namespace {

constexpr int lanes = 8;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

} // namespace

template <class Device, class Real>
SamplerOnThreads<Device, Real>::SamplerOnThreads(RoundTrip<Device, Real>& trip,
                                                 const exchange::Communicator& world, const Box& box,
                                                 const Interpolation& interpolation,
                                                 programs::InputTerms inputs)
    : Parts(trip, world, box, interpolation, std::move(inputs), lanes), begins_(at(box.points[2]) + 1) {
    const ModeTables<Real> modes = trip.modes();
    const std::array<std::pair<const Real*, int>, 3> numbers{
        {{modes.kx, trip.table().kx().size()}, {modes.ky, trip.table().height()}, {modes.kz, modes.nz}}};
    PrefilterTables<Real>& prefilter = this->prefilter_;
    for (std::size_t a = 0; a < 3; ++a)
        for (int i = 0; i < numbers[a].second; ++i)
            factors_[a].push_back(
                static_cast<Real>(prefilter.axes[a].of(static_cast<double>(numbers[a].first[i]))));
    prefilter.x = factors_[0].data();
    prefilter.y = factors_[1].data();
    prefilter.z = factors_[2].data();
}

template <class Device, class Real>
void SamplerOnThreads<Device, Real>::sample(const typename Parts::NamedFields& named_fields,
                                            std::span<const double> positions) {
    this->refer_to(named_fields);
    trip_.shown_rows() > 0 ? gather_planewise(positions) : gather_by_batches(positions);
}

template <class Device, class Real>
void SamplerOnThreads<Device, Real>::gather_planewise(std::span<const double> positions) {
    if (!planewise_ || planewise_->parities() != this->parities_) // a product's memory may serve another one
        planewise_ = std::make_unique<PlanewiseGather<Real>>(ghosts_, interpolation_, this->parities_);
    planewise_->begin(this->host_, {{}, variables()}, positions);
    const std::vector<PointTap<Real>*> taps{planewise_.get()};
    ShownInputs<Real> pass;
    static_cast<SampledInput<Real>&>(pass) = sampled_.front();
    pass.sampled = sampled_.data();
    pass.count = variables();
    pass.taps = &taps;
    trip_.run(pass);
    values_ = planewise_->finish(this->host_).data();
}

template <class Device, class Real>
void SamplerOnThreads<Device, Real>::gather_by_batches(std::span<const double> positions) {
    ghosts_.exchange(ownership_.axes(), positions);
    const std::span<const double> of_ghosts = ghosts_.positions();
    places_.resize(positions.size() + of_ghosts.size());
    for_all(this->device(), this->host_, places_.size() / 3, [&](std::size_t p) {
        const double* const position =
            3 * p < positions.size() ? &positions[3 * p] : &of_ghosts[3 * p - positions.size()];
        std::ranges::copy(ownership_.place(position), &places_[3 * p]);
    });
    sort();
    sums_.assign(places_.size() / 3 * at(variables()), 0.0);
    this->run([&](const LaneArray<Real>& values) { gather(values); });
    const std::span<double> sums = sums_, own = sums.first(positions.size() / 3 * at(variables()));
    ghosts_.give_back(sums.subspan(own.size()), own, at(variables()));
    values_ = sums_.data();
}

// A counting sort by the plane of the particles' cells.
template <class Device, class Real> void SamplerOnThreads<Device, Real>::sort() {
    const std::size_t count = places_.size() / 3;
    std::ranges::fill(begins_, 0);
    for (std::size_t p = 0; p < count; ++p) ++begins_[at(ownership_.point(2, places_[3 * p + 2])) + 1];
    for (std::size_t z = 1; z < begins_.size(); ++z) begins_[z] += begins_[z - 1];
    order_.resize(count);
    std::vector<std::uint32_t> next = begins_;
    for (std::size_t p = 0; p < count; ++p)
        order_[at(next[at(ownership_.point(2, places_[3 * p + 2]))]++)] = static_cast<std::uint32_t>(p);
}

// Adds to particles in cells from half a stencil below the planes to half a stencil above.
template <class Device, class Real>
void SamplerOnThreads<Device, Real>::gather(const LaneArray<Real>& values) {
    const GridAxis& axis = ownership_.axis(2);
    const int half = interpolation_.points / 2, n = axis.points;
    const Range z = values.block.z;
    const int first = z.begin - half, last = z.end + half - 1; // cells [first, last)
    const auto add = [&](int begin, int end) {
        const Particles of{order_.data(), places_.data(), begins_[at(begin)], begins_[at(end)]};
        this->add(values, of, sums_.data());
    };
    if (n == 1 || last - first >= n) return add(0, n);
    if (!axis.wall && first < 0) add(first + n, n);
    if (!axis.wall && last > n) add(0, last - n);
    add(std::max(first, 0), std::min(last, n));
}

template class SamplerOnThreads<device::Cpu, float>;
template class SamplerOnThreads<device::Cpu, double>;

} // namespace whorl::particles

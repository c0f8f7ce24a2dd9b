// Compiled once for each device of streams.
#include "device/chosen.hpp"
#include "particles/device_particle_set.hpp"
#include "particles/particle_set.hpp"
#include "particles/sampler.hpp"

namespace whorl::particles {

namespace {

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
void SamplerOnStreams<Device, Real>::sample(const typename Parts::NamedFields& named_fields,
                                            std::span<const double> positions) {
    const bool alone = ghosts_.neighbours().count() == 0;
    std::vector<double> here(alone ? 0 : positions.size());
    Memory::to_host(here.data(), positions.data(), here.size() * sizeof(double));
    ghosts_.exchange(ownership_.axes(), here);
    this->refer_to(named_fields);
    place(positions);
    const auto variables = static_cast<std::size_t>(this->variables());
    const std::size_t particles = (positions.size() + ghosts_.positions().size()) / 3,
                      own = positions.size() / 3 * variables, all = particles * variables;
    make_room(sums_, all);
    for_all(this->device(), this->host_, all, Zeros{sums_.data()});
    // Particles have no order.
    const Particles of{nullptr, places_.data(), 0, static_cast<std::int64_t>(particles)};
    this->run([&](const LaneArray<Real>& values) { this->add(values, of, sums_.data()); });
    if (alone) return;
    std::vector<double> sums(all);
    Memory::to_host(sums.data(), sums_.data(), all * sizeof(double));
    ghosts_.give_back(std::span(sums).subspan(own), std::span(sums).first(own), variables);
    Memory::from_host(sums_.data(), sums.data(), own * sizeof(double));
}

template <class Device, class Real>
void SamplerOnStreams<Device, Real>::place(std::span<const double> positions) {
    const auto& [x, y, z] = ownership_.axes();
    std::vector<double> of_ghosts;
    for (std::size_t p = 0; p < ghosts_.positions().size(); p += 3)
        for (const double place : ownership_.place(&ghosts_.positions()[p])) of_ghosts.push_back(place);
    make_room(places_, positions.size() + of_ghosts.size());
    for_all(this->device(), this->host_, positions.size() / 3,
            Places{{x, y, z}, positions.data(), places_.data()});
    Memory::from_host(places_.data() + positions.size(), of_ghosts.data(), of_ghosts.size() * sizeof(double));
}

template class SamplerOnStreams<device::Chosen, float>;
template class SamplerOnStreams<device::Chosen, double>;

} // namespace whorl::particles

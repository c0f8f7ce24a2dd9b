// A group of particles of a flow of some device and precision.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "bindings/particles.hpp"
#include "particles/cloud.hpp"
#include "particles/sampler.hpp"

namespace whorl {

template <class Device, class Real> class ParticlesOf final : public ParticleGroup {
    using Sampler = particles::Sampler<Device, Real>;

  public:
    using Sources = std::function<std::vector<programs::Source<Real>>()>;
    // A round trip for so many inputs.
    using WideEnough = std::function<RoundTrip<Device, Real>&(int)>;

    ParticlesOf(const ParticleOptions& options, const Box& box, const exchange::Communicator& world,
                Sources sources, WideEnough wide_enough)
        : options_(options), box_(box), world_(world), sources_(std::move(sources)),
          wide_enough_(std::move(wide_enough)), velocity_(make_sampler(options.velocity)),
          cloud_(options.registers) {}

    void add(std::span<const std::int64_t> ids, std::span<const double> positions) override {
        const std::size_t all = 3 * cloud_.registers();
        const bool whole = positions.size() == ids.size() * all;
        WHORL_REQUIRE(whole || positions.size() == 3 * ids.size(),
                      std::to_string(ids.size()) + " particles have " + std::to_string(positions.size()) +
                          " numbers as positions.");
        std::vector<double> own(all);
        for (std::size_t p = 0; p < ids.size(); ++p) {
            for (std::size_t i = 0; i < all; ++i) own[i] = positions[whole ? p * all + i : 3 * p + i % 3];
            const particles::Territory& territory = velocity_->territory();
            if (territory.owner(territory.place(own.data()).data()) == territory.rank())
                cloud_.add(ids[p], own);
        }
    }
    std::size_t count() const override { return cloud_.count(); }
    std::size_t registers() const override { return cloud_.registers(); }
    void read(std::span<std::int64_t> ids, std::span<double> positions, std::size_t number) const override {
        std::ranges::copy(cloud_.ids(), ids.begin());
        std::ranges::copy(cloud_.positions(number), positions.begin());
    }
    void sample(const programs::InputTerms& inputs, std::span<double> values) override {
        WHORL_REQUIRE(values.size() == inputs.size() * count(), "there are not as many values as samples.");
        make_sampler(inputs)->sample(sources_(), cloud_.positions(), values);
    }

    void before_stage() override {
        velocities_.resize(3 * cloud_.count());
        velocity_->sample(sources_(), cloud_.positions(), velocities_);
    }
    void after_stage(const Stage& stage, double dt) override {
        cloud_.advance(velocity_->host(), stage, dt, velocities_, options_.drift);
        cloud_.settle(velocity_->territory(), velocity_->neighbours(), world_);
    }

  private:
    std::unique_ptr<Sampler> make_sampler(const programs::InputTerms& inputs) const {
        return std::make_unique<Sampler>(wide_enough_(static_cast<int>(inputs.size())), world_, box_,
                                         options_.interpolation, inputs);
    }

    ParticleOptions options_;
    Box box_;
    const exchange::Communicator& world_;
    Sources sources_;
    WideEnough wide_enough_;
    std::unique_ptr<Sampler> velocity_;
    particles::Cloud cloud_;
    std::vector<double> velocities_; // [particle][axis]
};

} // namespace whorl

// A group of particles of a flow of some device and precision.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "bindings/particles.hpp"
#include "particles/cloud.hpp"
#include "particles/memory.hpp"
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
        sampler_of(inputs).sample(sources_(), cloud_.positions(), values);
    }
    std::int64_t bytes() const override {
        const RoundTrip<Device, Real>& trip = wide_enough_(velocity_->variables());
        const programs::Share share{trip.layout(), 0, sizeof(Complex<Real>), 1, Device::queues};
        const particles::Here here{static_cast<std::int64_t>(count()), 0};
        std::int64_t bytes = particles::bytes_of_sampler(here, velocity_->variables(), share) +
                             particles::bytes_of_cloud(here, options_.registers, share);
        for (const auto& [inputs, sampler] : kept_)
            bytes += particles::bytes_of_sampler(here, sampler->variables(), share);
        return bytes;
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
    static constexpr std::size_t most_kept = 4;

    // The last one is that which was used last.
    Sampler& sampler_of(const programs::InputTerms& inputs) {
        if (inputs == options_.velocity) return *velocity_;
        const auto found = std::ranges::find(kept_, inputs, &Kept::first);
        if (found != kept_.end()) {
            std::rotate(found, found + 1, kept_.end());
        } else {
            if (kept_.size() == most_kept) kept_.erase(kept_.begin());
            kept_.emplace_back(inputs, make_sampler(inputs));
        }
        return *kept_.back().second;
    }
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
    using Kept = std::pair<programs::InputTerms, std::unique_ptr<Sampler>>;
    std::vector<Kept> kept_; // of what has been read
    particles::Cloud cloud_;
    std::vector<double> velocities_; // [particle][axis]
};

} // namespace whorl

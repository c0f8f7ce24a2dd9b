// A group of particles of a flow of some device and precision.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "bindings/particles.hpp"
#include "particles/cloud.hpp"
#include "particles/sampler.hpp"
#include "steppers/companion.hpp"

namespace whorl {

template <class Device, class Real> class ParticlesOf final : public ParticleGroup, public Companion<Real> {
    using Sampler = particles::Sampler<Device, Real>;
    using StreamedGather = particles::StreamedGather<Real>;
    using Guests = particles::Guests;

  public:
    using Sources = std::function<std::vector<programs::Source<Real>>()>;
    // A round trip for so many inputs.
    using WideEnough = std::function<RoundTrip<Device, Real>&(int)>;

    ParticlesOf(const ParticleOptions& options, const Box& box, const exchange::Communicator& world,
                Sources sources, WideEnough wide_enough)
        : options_(options), box_(box), world_(world), sources_(std::move(sources)),
          wide_enough_(std::move(wide_enough)), velocity_(make_sampler(options.velocity)),
          cloud_(options.registers),
          shown_({velocity_->territory().axis(0), velocity_->territory().axis(1),
                  velocity_->territory().axis(2)},
                 options.interpolation, {parities_of_velocity.begin(), parities_of_velocity.end()}) {}

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

    // Polynomials take the values that the right-hand side has at the points, splines their coefficients,
    // which it has not.
    PointTap<Real>* before_stage(const StageGrid& grid) override {
        streams_ = !options_.interpolation.spline && grid.shown_rows > 0;
        if (!streams_) {
            velocities_.resize(3 * cloud_.count());
            velocity_->sample(sources_(), cloud_.positions(), velocities_);
            return nullptr;
        }
        Guests& guests = velocity_->guests();
        guests.exchange(shown_.axes(grid.shift), cloud_.positions());
        shown_.begin(velocity_->host(), {grid.shift, grid.shown_rows, grid.shown_velocity},
                     cloud_.positions(), guests.positions());
        return &shown_;
    }
    void after_stage(const Stage& stage, double dt) override {
        cloud_.advance(velocity_->host(), stage, dt, velocities(), options_.drift);
        // Particles near each other in memory are near each other in space, as long as they have not moved
        // far.
        constexpr int every = 8;
        if (streams_ && stages_++ % every == 0) cloud_.reorder(shown_.order());
        cloud_.settle(velocity_->territory(), velocity_->guests().neighbours(), world_);
    }

  private:
    // At the particles of this rank, [particle][axis].
    std::span<const double> velocities() {
        if (!streams_) return velocities_;
        const std::span<double> all = shown_.finish(velocity_->host());
        const std::span<double> own = all.first(3 * cloud_.count());
        velocity_->guests().give_back(all.subspan(own.size()), own, 3);
        return own;
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
    particles::Cloud cloud_;
    StreamedGather shown_;           // of the right-hand side's velocity
    int stages_ = 0;                 // that it streamed
    bool streams_ = false;           // in the present stage
    std::vector<double> velocities_; // [particle][axis], where it does not
};

} // namespace whorl

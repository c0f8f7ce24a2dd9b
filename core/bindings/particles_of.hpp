// A group of particles of a flow of some device and precision.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "bindings/particles.hpp"
#include "particles/cloud.hpp"
#include "particles/kinds.hpp"
#include "particles/memory.hpp"
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
          wide_enough_(std::move(wide_enough)), kind_(make_kind()), sampler_(make_sampler(options.inputs)),
          cloud_(options.registers, kind_->variables(), kind_->kept()),
          shown_(
              {sampler_->territory().axis(0), sampler_->territory().axis(1), sampler_->territory().axis(2)},
              options.interpolation, {parities_of_velocity.begin(), parities_of_velocity.end()}) {}

    void add(std::span<const std::int64_t> ids, std::span<const double> values,
             std::size_t remembered) override {
        const std::size_t each = 3 * variables(), all = each * registers();
        const bool alone = values.size() == 3 * ids.size();
        const std::size_t given = alone ? 1 : ids.empty() ? 0 : values.size() / (each * ids.size());
        WHORL_REQUIRE(alone || (values.size() == given * each * ids.size() && given <= registers()),
                      std::to_string(ids.size()) + " particles have " + std::to_string(values.size()) +
                          " numbers as positions.");
        WHORL_REQUIRE(ids.empty() || given > remembered,
                      "the time scheme remembers earlier steps, which particles would lack; add them before "
                      "the first step, or take a scheme of one step, such as rk2.");
        std::vector<double> own(all);
        for (std::size_t p = 0; p < ids.size(); ++p) {
            for (std::size_t i = 0; i < all; ++i) {
                const std::size_t number = std::min(i / each, given - 1), within = i % each;
                if (alone)
                    own[i] = within < 3 ? values[3 * p + within] : 0.0;
                else
                    own[i] = values[(p * given + number) * each + within];
            }
            const particles::Territory& territory = sampler_->territory();
            if (territory.owner(territory.place(own.data()).data()) == territory.rank())
                cloud_.add(ids[p], own);
        }
    }
    std::size_t count() const override { return cloud_.count(); }
    std::size_t registers() const override { return cloud_.registers(); }
    std::size_t variables() const override { return cloud_.variables(); }
    void read(std::span<std::int64_t> ids, std::span<double> values, std::size_t number,
              std::size_t variable) const override {
        std::ranges::copy(cloud_.ids(), ids.begin());
        std::ranges::copy(cloud_.values(number, variable), values.begin());
    }
    void follow_flow() override {
        WHORL_REQUIRE(variables() > 1, "particles of this kind have no velocity of their own.");
        sample_inputs();
        const std::size_t each = options_.inputs.size();
        double* const velocities = cloud_.of(1)[0];
        for (std::size_t p = 0; p < count(); ++p)
            for (std::size_t a = 0; a < 3; ++a)
                velocities[3 * p + a] = inputs_[p * each + a] + kind_->drift()[a];
    }
    void sample(const programs::InputTerms& inputs, std::span<double> values) override {
        WHORL_REQUIRE(values.size() == inputs.size() * count(), "there are not as many values as samples.");
        sampler_of(inputs).sample(sources_(), cloud_.positions(), values);
    }
    std::int64_t bytes() const override {
        const RoundTrip<Device, Real>& trip = wide_enough_(sampler_->variables());
        const programs::Share share{trip.layout(), 0, sizeof(Complex<Real>), trip.device().executors(),
                                    Device::queues};
        const particles::Here here{static_cast<std::int64_t>(count()), 0};
        const int points = options_.interpolation.points;
        std::int64_t bytes =
            particles::bytes_of_sampler(here, sampler_->variables(), points, share) +
            particles::bytes_of_cloud(
                here, static_cast<std::int64_t>(cloud_.vectors()),
                static_cast<std::int64_t>(inputs_.size() / std::max<std::size_t>(count(), 1)), share);
        for (const auto& [inputs, sampler] : kept_)
            bytes += particles::bytes_of_sampler(here, sampler->variables(), points, share);
        return bytes;
    }
    void reserve(std::size_t count) override { cloud_.reserve(count); }

    // Polynomials take the values that the right-hand side has at the points, splines their coefficients,
    // which it has not.
    PointTap<Real>* before_stage(const StageGrid& grid) override {
        const bool of_velocity = kind_->inputs() == 3 && !options_.interpolation.spline;
        streams_ = of_velocity && grid.shown_rows > 0;
        if (!streams_) {
            sample_inputs();
            return nullptr;
        }
        Guests& guests = sampler_->guests();
        guests.exchange(shown_.axes(grid.shift), cloud_.positions());
        shown_.begin(sampler_->host(), {grid.shift, grid.shown_rows, grid.shown_velocity}, cloud_.positions(),
                     guests.positions());
        return &shown_;
    }
    void after_stage(const StageMade& made) override {
        kind_->advance(sampler_->host(), cloud_, made,
                       streams_ ? streamed() : std::span<const double>(inputs_));
        // Particles near each other in memory are near each other in space, as long as they have not moved
        // far.
        constexpr int every = 8;
        if (streams_ && made.stage.ends_step && steps_++ % every == 0) cloud_.reorder(shown_.order());
        cloud_.settle(sampler_->territory(), sampler_->guests().neighbours(), world_);
    }

  private:
    std::span<const double> streamed() {
        const std::span<double> all = shown_.finish(sampler_->host());
        const std::span<double> own = all.first(3 * cloud_.count());
        sampler_->guests().give_back(all.subspan(own.size()), own, 3);
        return own;
    }
    std::unique_ptr<particles::Kind> make_kind() const {
        auto kind = particles::make_kind(options_.kind, {options_.numbers, box_});
        WHORL_REQUIRE(static_cast<int>(options_.inputs.size()) == kind->inputs(),
                      "particles of the kind " + options_.kind + " take " + std::to_string(kind->inputs()) +
                          " inputs, not " + std::to_string(options_.inputs.size()) + ".");
        return kind;
    }
    static constexpr std::size_t most_kept = 4;

    // The last one is that which was used last.
    Sampler& sampler_of(const programs::InputTerms& inputs) {
        if (inputs == options_.inputs) return *sampler_;
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
    void sample_inputs() {
        inputs_.resize(options_.inputs.size() * cloud_.count());
        sampler_->sample(sources_(), cloud_.positions(), inputs_);
    }

    ParticleOptions options_;
    Box box_;
    const exchange::Communicator& world_;
    Sources sources_;
    WideEnough wide_enough_;
    std::unique_ptr<particles::Kind> kind_;
    std::unique_ptr<Sampler> sampler_; // of the inputs of the kind
    using Kept = std::pair<programs::InputTerms, std::unique_ptr<Sampler>>;
    std::vector<Kept> kept_; // of what has been read
    particles::Cloud cloud_;
    std::vector<double> inputs_; // [particle][input]
    StreamedGather shown_;       // of the velocity of the right-hand side
    bool streams_ = false;       // in the present stage
    int steps_ = 0;              // that it streamed
};

} // namespace whorl

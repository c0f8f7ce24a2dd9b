// A group of particles of a flow of some device and precision.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "particles/device_particle_set.hpp"
#include "particles/group.hpp"
#include "particles/kinds.hpp"
#include "particles/memory.hpp"
#include "particles/ownership.hpp"
#include "particles/particle_set.hpp"
#include "particles/sampler.hpp"
#include "steppers/companion.hpp"

namespace whorl::particles {

// Counts particles that another rank owns.
struct LeavingItem {
    Owners owner;
    int rank;
    const double* positions;

    WHORL_ANYWHERE void operator()(std::int64_t p, double* values) const {
        if (owner(positions + 3 * p) != rank) values[0] += 1.0;
    }
};

} // namespace whorl::particles

namespace whorl {

// Sets velocities to that of the flow, with the drift of the kind.
struct VelocitiesOfFlow {
    const double* inputs; // [particle][axis]
    std::array<double, 3> drift;
    double* velocities;
    WHORL_ANYWHERE void operator()(std::size_t p) const {
        for (std::size_t a = 0; a < 3; ++a) velocities[3 * p + a] = inputs[3 * p + a] + drift[a];
    }
};

// The parts of a flow that its particles use, which outlive them.
template <class Device, class Real> class FlowOfParticles {
  public:
    using NamedFields = std::vector<programs::NamedField<Real>>;

    virtual ~FlowOfParticles() = default;
    virtual NamedFields named_fields() const = 0;
    // Calls use(named_fields) with named_fields that include the fields of a group at a time.
    virtual void with_fields(const ParticleOptions& group, double time,
                             const std::function<void(const NamedFields&)>& use) = 0;
    // Returns a round trip that is wide enough for a number of inputs.
    virtual RoundTrip<Device, Real>& wide_enough(int inputs) = 0;
};

template <class Device, class Real> class ParticlesOf final : public ParticleGroup, public Companion<Real> {
    using Memory = typename Device::Memory;
    using Sampler = particles::Sampler<Device, Real>;
    using PlanewiseGather = particles::PlanewiseGather<Real>;
    using Ghosts = particles::Ghosts;

  public:
    ParticlesOf(const ParticleOptions& options, const Box& box, const exchange::Communicator& world,
                FlowOfParticles<Device, Real>& flow)
        : options_(options), box_(box), world_(world), flow_(flow), kind_(make_kind()),
          sampler_(make_sampler(options.inputs)),
          particles_(options.registers, kind().variables(), kind().kept()),
          owner_rows_(sampler_->ownership().of_rows()), owner_columns_(sampler_->ownership().of_columns()),
          ghosts_(world, sampler_->ownership(), options.interpolation),
          shown_(ghosts_, options.interpolation, {parities_of_velocity.begin(), parities_of_velocity.end()}) {
    }

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
        particles::ParticleSet& here = particles_.on_host();
        const particles::Owners owner_of = sampler_->ownership().owners();
        for (std::size_t p = 0; p < ids.size(); ++p) {
            const particles::Identity id = particles::identity(ids[p]); // on all ranks
            for (std::size_t i = 0; i < all; ++i) {
                const std::size_t number = std::min(i / each, given - 1), within = i % each;
                if (alone)
                    own[i] = within < 3 ? values[3 * p + within] : 0.0;
                else
                    own[i] = values[(p * given + number) * each + within];
            }
            if (owner_of(own.data()) == sampler_->ownership().rank()) here.add(id, own);
        }
    }
    std::size_t count() const override { return particles_.count(); }
    std::size_t registers() const override { return particles_.registers(); }
    std::size_t variables() const override { return particles_.variables(); }
    void read(std::span<std::int64_t> ids, std::span<double> values, std::size_t number,
              std::size_t variable) override {
        std::ranges::copy(particles_.ids(), ids.begin());
        particles_.read(number, variable, values);
    }
    void follow_flow() override {
        WHORL_REQUIRE(variables() > 1, "particles of this kind have no velocity of their own.");
        const programs::InputTerms velocity(options_.inputs.begin(), options_.inputs.begin() + 3);
        const std::unique_ptr<Sampler> own = velocity == options_.inputs ? nullptr : make_sampler(velocity);
        Sampler& sampler = own ? *own : *sampler_;
        sampler.sample(flow_.named_fields(), positions());
        particles::for_all(
            sampler.device(), sampler.host(), count(),
            VelocitiesOfFlow{sampler.values(), kind().drift(), particles_.changed_there().variables[1][0]});
    }
    void sample(const programs::InputTerms& inputs, std::span<double> values) override {
        WHORL_REQUIRE(values.size() == inputs.size() * count(), "there are not as many values as samples.");
        Sampler& sampler = sampler_of(inputs);
        sampler.sample(flow_.named_fields(), positions());
        Memory::to_host(values.data(), sampler.values(), values.size() * sizeof(double));
    }
    std::int64_t bytes() const override {
        const RoundTrip<Device, Real>& trip = flow_.wide_enough(sampler_->variables());
        const programs::Share share{trip.layout(), 0, sizeof(Complex<Real>), trip.device().executors(),
                                    Device::streams};
        const particles::Here here{static_cast<std::int64_t>(count()), 0};
        const int points = options_.interpolation.points;
        std::int64_t bytes =
            particles::bytes_of_sampler(here, sampler_->variables(), points, share) +
            particles::bytes_of_particle_set(here, static_cast<std::int64_t>(particles_.vectors()), share);
        for (const auto& [inputs, sampler] : kept_)
            bytes += particles::bytes_of_sampler(here, sampler->variables(), points, share);
        return bytes;
    }
    void reserve(std::size_t count) override { particles_.on_host().reserve(count); }

    // Polynomials use the values that the right-hand side has at the points. Splines need coefficients, which
    // it does not compute.
    PointTap<Real>* before_stage(const StageGrid& grid, double time) override {
        const bool of_velocity = kind().inputs() == 3 && !options_.interpolation.spline;
        planewise_ = of_velocity && grid.shown_rows > 0;
        if (!planewise_) {
            flow_.with_fields(options_, time, [this](const auto& named_fields) {
                sampler_->sample(named_fields, positions());
            });
            return nullptr;
        }
        shown_.begin(sampler_->host(), {grid.shift, grid.shown_velocity}, positions());
        return &shown_;
    }
    void after_stage(const StageMade& made) override {
        const double* const inputs = planewise_ ? shown_.finish(sampler_->host()).data() : sampler_->values();
        const auto advance = [&](auto& of) {
            particles::for_all(sampler_->device(), sampler_->host(), count(),
                               of.update(particles_.changed_there(), made, inputs));
        };
        std::visit(advance, kind_);
        if (made.stage.ends_step) reorder();
        migrate();
    }

  private:
    static const particles::Kind& kind_of(const particles::AnyKind& kind) {
        return std::visit([](const auto& one) -> const particles::Kind& { return one; }, kind);
    }
    const particles::Kind& kind() const { return kind_of(kind_); }
    particles::AnyKind make_kind() const {
        particles::AnyKind kind = particles::make_kind(options_.kind, {options_.numbers, box_});
        const int inputs = kind_of(kind).inputs();
        WHORL_REQUIRE(static_cast<int>(options_.inputs.size()) == inputs,
                      "particles of the kind " + options_.kind + " take " + std::to_string(inputs) +
                          " inputs, not " + std::to_string(options_.inputs.size()) + ".");
        return kind;
    }
    // The positions in the memory of the device.
    std::span<const double> positions() { return {particles_.there().variables[0][0], 3 * count()}; }
    // Reorders particles, so that those near each other in memory are near each other in space until they
    // have moved far. On threads the order exists already; otherwise the host makes it.
    void reorder() {
        constexpr int every = Memory::separate ? 256 : 8;
        if (!(planewise_ || Memory::separate) || steps_++ % every != 0) return;
        particles::ParticleSet& here = particles_.on_host();
        if (planewise_)
            here.reorder(shown_.order());
        else
            here.reorder(sampler_->ownership().order(here.positions()));
    }
    // Migrates particles. If none leaves any rank, none is copied to the host.
    void migrate() {
        if constexpr (Memory::separate) {
            if (world_.size() == 1) return;
            const particles::Ownership& ownership = sampler_->ownership();
            const particles::LeavingItem leaving{
                {ownership.axis(1), ownership.axis(2), owner_rows_.data(), owner_columns_.data()},
                ownership.rank(),
                positions().data()};
            const auto particles = static_cast<std::int64_t>(count());
            if (!world_.any(count() > 0 && sampler_->device().reduce(particles, 1, 0, leaving)[0] > 0.0))
                return;
        }
        particles_.on_host().migrate(sampler_->ownership(), ghosts_.neighbours(), world_);
    }
    static constexpr std::size_t most_kept = 4;

    // The last one of kept_ was used last.
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
        return std::make_unique<Sampler>(flow_.wide_enough(static_cast<int>(inputs.size())), world_, box_,
                                         options_.interpolation, inputs);
    }
    ParticleOptions options_;
    Box box_;
    const exchange::Communicator& world_;
    FlowOfParticles<Device, Real>& flow_;
    particles::AnyKind kind_;
    std::unique_ptr<Sampler> sampler_; // of the inputs of the kind
    using Kept = std::pair<programs::InputTerms, std::unique_ptr<Sampler>>;
    std::vector<Kept> kept_; // of other inputs
    particles::DeviceParticleSet<Memory> particles_;
    device::Table<int, Memory> owner_rows_, owner_columns_; // for Owners
    // Ghost particles for the velocity of the right-hand side, while other samples may be taken.
    Ghosts ghosts_;
    PlanewiseGather shown_;
    bool planewise_ = false; // in the present stage
    int steps_ = 0;          // by which the order is kept
};

} // namespace whorl

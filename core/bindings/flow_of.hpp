// Flow for one model and precision; instantiated by models.cpp.
#pragma once

#include "bindings/flow.hpp"
#include "fields/random.hpp"
#include "measure/velocity.hpp"
#include "storage/checkpoint.hpp"
#include "storage/snapshot.hpp"

namespace whorl {

template <class Model, class Real> class FlowOf final : public Flow {
  public:
    FlowOf(const Options& options, int communicator, const Model& model)
        : Flow(options, communicator), device_(options.threads),
          trip_(options_.box(), truncation_, trip_options(options_), world_, device_),
          stepper_(trip_, options_.box(), model, find_scheme(options.scheme), truncation_.dealias(),
                   options.shift_seed) {}

    const Layout& layout() const override { return trip_.layout(); }
    double imbalance() const override { return trip_.pencils().imbalance(); }
    std::int64_t total_modes() const override {
        std::uint64_t modes = static_cast<std::uint64_t>(stepper_.modes());
        world_.sum(std::span(&modes, 1));
        return static_cast<std::int64_t>(modes);
    }

    void set_physical(const Callback& fill, bool project) override {
        const BlockCallback<Real> typed = [&](const PhysicalBlock& block, Real* data) { fill(block, data); };
        device::Buffer<Real> staging = make_staging();
        WriteField<Real> pass({stepper_.state(), stepper_.modes(), {staging.data(), block()}, &typed},
                              project);
        trip_.shift({0.0, 0.0, 0.0});
        trip_.run(pass);
    }

    void set_random(const std::vector<double>& energy, std::uint64_t seed) override {
        whorl::set_random(modes(), options_.box(), stepper_.state(), energy, seed);
    }

    void read_field(const std::string& name, const Callback& consume) override {
        const BlockCallback<Real> typed = [&](const PhysicalBlock& block, Real* data) {
            consume(block, data);
        };
        read(name, typed);
    }

    StepReport step(TimeStep time_step, std::int64_t step_number) override {
        return stepper_.step(time_step, step_number);
    }

    std::map<std::string, double> statistics() override {
        return velocity_statistics(modes(), velocity(), stepper_.model());
    }

    Spectra spectra() override {
        const ModeSet<Real> set = modes();
        Spectra spectra{{}, energy_spectrum(set, velocity()), helicity_spectrum(set, velocity())};
        for (int n = 0; n < set.shells; ++n) spectra.k.push_back(n * set.smallest_wavenumber);
        return spectra;
    }

    std::vector<double> transfer() override {
        std::vector<double> mean;
        for (int grid = 0; grid < stepper_.grids(); ++grid) {
            stepper_.evaluate(grid);
            const VelocityField<Real> tendency{stepper_.scratch(), stepper_.modes()};
            const auto of_grid = transfer_spectrum(modes(), velocity(), tendency);
            mean.resize(of_grid.size());
            for (std::size_t n = 0; n < mean.size(); ++n) mean[n] += of_grid[n] / stepper_.grids();
        }
        return mean;
    }

    void write_snapshot(const std::string& path, const std::vector<std::string>& names,
                        const storage::Attributes& attributes, bool single) override {
        storage::SnapshotWriter writer(path, options_.box(), attributes, world_, single);
        for (const std::string& name : names) {
            writer.add_field(name);
            read(name,
                 [&](const PhysicalBlock& block, Real* data) { writer.write_block(name, block, data); });
        }
        writer.finish();
    }

    void write_checkpoint(const std::string& path, const storage::Attributes& attributes) override {
        storage::write_checkpoint<Real>(path, attributes, options_.box(), truncation_, trip_.table(),
                                        stepper_.state(), world_);
    }

    void read_checkpoint(const std::string& path) override {
        storage::read_checkpoint<Real>(path, options_.box(), truncation_, trip_.table(), stepper_.state(),
                                       world_);
    }

    std::map<std::string, double> timings() override {
        auto seconds = trip_.timings();
        for (auto& [part, value] : seconds) world_.maximum(std::span(&value, 1));
        return seconds;
    }
    void reset_timings() override { trip_.time(true); }

    std::map<std::string, std::int64_t> memory() const override {
        auto bytes = trip_.memory();
        bytes["state"] = stepper_.bytes();
        return bytes;
    }

  private:
    static RoundTripOptions trip_options(const Options& options) {
        RoundTripOptions trip;
        trip.grid = {options.process_grid[0], options.process_grid[1]};
        trip.batches = options.batches;
        trip.transport = options.transport;
        trip.lines = device::parse_line_kind(options.lines);
        trip.column_variables = std::max(Model::inputs, Model::fluxes);
        trip.row_variables = std::max(Model::inputs, Model::products);
        return trip;
    }

    PhysicalBlock block() const { return {trip_.layout().z, trip_.layout().y, trip_.layout().nx}; }
    device::Buffer<Real> make_staging() const {
        PhysicalBlock largest = block();
        largest.z = {0, trip_.layout().largest_batch()};
        return device::Buffer<Real>(static_cast<std::size_t>(3 * largest.points()));
    }
    VelocityField<Real> velocity() { return {stepper_.state(), stepper_.modes()}; }

    ModeSet<Real> modes() {
        const double smallest = options_.box().smallest_wavenumber();
        return {trip_.device(), world_,   trip_.table(),
                trip_.modes(),  smallest, shell_number(largest_wavenumber(), smallest) + 1};
    }

    void read(const std::string& name, const BlockCallback<Real>& consume) {
        WHORL_REQUIRE(name == "velocity" || name == "vorticity",
                      "field \"" + name + "\" is unknown; choose velocity or vorticity.");
        device::Buffer<Real> staging = make_staging();
        ReadField<Real> pass({stepper_.state(), stepper_.modes(), {staging.data(), block()}, &consume},
                             name == "vorticity");
        trip_.shift({0.0, 0.0, 0.0});
        trip_.run(pass);
    }

    device::Cpu device_;
    RoundTrip<Real> trip_;
    Stepper<Model, Real> stepper_;
};

} // namespace whorl

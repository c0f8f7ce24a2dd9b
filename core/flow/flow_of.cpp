// Flow on a device and in a precision, for any model. Compiled once for each device.
#include "device/chosen.hpp"
#include "fields/random.hpp"
#include "flow/flow.hpp"
#include "flow/flow_files.hpp"
#include "flow/flow_forces.hpp"
#include "flow/flow_measures.hpp"
#include "flow/trip_options.hpp"

namespace whorl {

template <class Device, class Real> class FlowOf final : public Flow {
    using Memory = typename Device::Memory;
    using Values = typename FlowFields<Device, Real>::Values;

  public:
    FlowOf(const Options& options, int communicator, std::unique_ptr<Equation<Device, Real>> equation)
        : Flow(options, communicator), equation_(std::move(equation)), declared_(equation_->declaration()),
          shape_(shape_of(declared_, options)),
          device_(Device::streams ? world_.node().rank() : options.threads),
          trip_(options_.box(), truncation_,
                trip_options(options_, shape_.column_variables(), shape_.row_variables()), world_, device_),
          stepper_(trip_, world_, options_.box(), truncation_, *equation_, stepper_options()),
          parts_{options_, world_, truncation_, shape_, *equation_, trip_, stepper_, shells()},
          fields_(parts_), forces_(parts_, fields_), measures_(parts_, fields_), files_(parts_, fields_),
          programs_(make_program_runs<Device, Real>(
              {trip_, world_, options_, truncation_, [this] { return fields_.for_programs(); },
               [this](const std::string& field, double time) { return forces_.at_time(field, time); },
               [this](Companion<Real>& companion) { stepper_.accompany(companion); },
               truncation_.dealiasing().shifts})) {
        options_.lines = trip_.lines().text();
        if constexpr (Device::streams)
            plane_trials_ = PlaneTrials<Device, Real>(trip_).fastest_first([this] { stepper_.evaluate(0); });
        options_.plane_bytes = trip_.plane_bytes();
        for (const forcing::SourceOptions& source : options_.forcing) forces_.add(source);
    }

    const Layout& layout() const override { return trip_.layout(); }
    double imbalance() const override { return trip_.pencils().imbalance(); }
    std::int64_t total_modes() const override {
        std::uint64_t modes = static_cast<std::uint64_t>(stepper_.modes());
        world_.sum(std::span(&modes, 1));
        return static_cast<std::int64_t>(modes);
    }

    void set_physical(const std::string& field, const Callback& fill, bool project) override;
    void set_random(const std::string& field, const std::vector<double>& energy, std::uint64_t seed) override;
    void read_field(const std::string& name, const Callback& consume) override {
        const int components = components_of(name);
        Values beside;
        read_points(trip_, fields_.modes_of(name, beside),
                    BlockCallback<Real>([&](const PhysicalBlock& block, Real* values) {
                        consume(block, components, values);
                    }));
    }
    int components_of(const std::string& name) const override { return fields_.components_of(name); }

    const RowTable& rows() const override { return trip_.table(); }
    std::vector<int> ky() const override { return trip_.table().signed_ky(truncation_); }
    void read_modes(const std::string& name, void* values) override {
        Values beside;
        const FieldModes<Real> field = fields_.modes_of(name, beside);
        device_.finish();
        Memory::to_host(values, field.data, bytes_of(field));
    }
    void write_modes(const std::string& name, const void* values) override {
        stepper_.forget();
        const StateField of = fields_.find(name);
        const FieldModes<Real> field = fields_.modes_of(of);
        device_.finish();
        Memory::from_host(field.data, values, bytes_of(field));
        if (!of.group.solenoidal) return;
        each_mode(parts_.modes(), MakeSolenoidal<Real>{field.data, field.modes, field.components});
        device_.finish();
    }

    ProgramRuns& programs() override { return *programs_; }
    FlowForces& forces() override { return forces_; }

    std::size_t remembered_steps() override { return stepper_.history().steps().size(); }
    StepReport step(TimeStep time_step, std::int64_t step_number) override {
        const StepReport report = stepper_.step(time_step, step_number);
        if ((declared_.amplifies || stepper_.forces().amplifies()) &&
            step_number % real_every == real_every - 1)
            make_state_real();
        forces_.end_step(report.dt);
        return report;
    }
    double first_step(TimeStep time_step, std::int64_t step_number) override {
        return stepper_.first_step(time_step, step_number);
    }

    std::map<std::string, std::pair<double, double>> step_errors() override {
        return measures_.step_errors();
    }
    std::map<std::string, double> sums_over_modes() override { return measures_.sums_over_modes(); }
    std::map<std::string, double> statistics() override { return measures_.statistics(); }
    SpectraOf spectra() override { return measures_.spectra(); }
    SpectraOf transfer() override { return measures_.transfer(); }

    std::unique_ptr<storage::UnfinishedCheckpoint> begin_checkpoint(const std::string& path,
                                                                    const storage::Attributes& attributes,
                                                                    const CheckpointFiles& files) override {
        return files_.begin_checkpoint(path, attributes, files);
    }
    void read_checkpoint(const std::string& path) override { files_.read_checkpoint(path); }
    void read_regridded(const std::string& path, const std::map<std::string, std::string>& names) override {
        files_.read_regridded(path, names);
    }

    void evaluate() override { stepper_.evaluate(0); }
    void transform_pair(const std::string& field) override {
        whorl::transform_pair(trip_, fields_.modes_of(fields_.find(field)));
    }
    void exchange(bool rows, int variables, bool inwards) override {
        trip_.exchanges().once(rows ? Leg::row : Leg::column, variables, inwards);
    }

    std::map<std::string, double> timings() override {
        auto seconds = trip_.timings();
        for (auto& [part, value] : seconds) world_.maximum(std::span(&value, 1));
        return seconds;
    }
    std::map<std::string, std::int64_t> traffic() const override { return trip_.exchanges().traffic(); }
    std::map<std::string, std::int64_t> messages() const override { return trip_.exchanges().messages(); }
    std::vector<double> maximum(std::vector<double> values) override {
        const exchange::Watchdog::Scope watched(trip_.exchanges().watchdog(), "agreement of the ranks", -1);
        world_.maximum(values);
        return values;
    }
    void reset_timings() override { trip_.time(true); }

    std::map<std::string, std::int64_t> memory() const override {
        auto bytes = trip_.memory();
        bytes["state"] = stepper_.bytes();
        bytes["inner_fields"] = equation_->bytes();
        bytes["forcing"] = stepper_.forces().bytes();
        return bytes;
    }

  private:
    StepperOptions stepper_options() const {
        std::vector<std::array<double, 4>> scalars;
        for (const auto& [name, constants] : options_.scalars) scalars.push_back(constants);
        return {options_.scheme, options_.shift_seed, options_.is_exact(), scalars, shells()};
    }
    int shells() const {
        return shell_number(largest_wavenumber(), options_.box().smallest_wavenumber()) + 1;
    }
    // If the equations make modes grow, so do the errors of rounding in modes of no real field (kx = 0).
    // Transforms do not see these, so that no product ever limits them. A transform to the points and back
    // removes them.
    static constexpr std::int64_t real_every = 128; // steps
    void make_state_real() {
        stepper_.forces().forget();
        trip_.shift({0.0, 0.0, 0.0});
        for (const StateField& of : fields_.of_state()) {
            const FieldModes<Real> field = fields_.modes_of(of);
            whorl::transform_pair(trip_, field);
            if (of.group.solenoidal)
                each_mode(parts_.modes(), MakeSolenoidal<Real>{field.data, field.modes, field.components});
        }
    }
    static std::size_t bytes_of(const FieldModes<Real>& field) {
        return static_cast<std::size_t>(field.components * field.modes) * sizeof(Complex<Real>);
    }

    std::unique_ptr<Equation<Device, Real>> equation_;
    const Declaration& declared_;
    ModelShape shape_;
    Device device_;
    RoundTrip<Device, Real> trip_;
    Stepper<Device, Real> stepper_;
    FlowParts<Device, Real> parts_;
    FlowFields<Device, Real> fields_;
    ForcesOfFlow<Device, Real> forces_;
    FlowMeasures<Device, Real> measures_;
    FlowFiles<Device, Real> files_;
    std::shared_ptr<ProgramRuns> programs_;
};

template <class Device, class Real>
void FlowOf<Device, Real>::set_physical(const std::string& field, const Callback& fill, bool project) {
    stepper_.forget();
    if (fields_.derived_from_velocity(field)) {
        Values velocity = fields_.room_for(3);
        write_points(
            trip_, FieldModes<Real>{velocity.data(), stepper_.modes(), 3, fields_.parities_of(field)},
            project,
            BlockCallback<Real>([&](const PhysicalBlock& block, Real* values) { fill(block, 3, values); }));
        fields_.set_from_velocity(velocity.data());
        return;
    }
    const StateField of = fields_.find(field);
    write_points(trip_, fields_.modes_of(of), project && of.group.solenoidal,
                 BlockCallback<Real>([&](const PhysicalBlock& block, Real* values) {
                     fill(block, of.group.components, values);
                 }));
}

template <class Device, class Real>
void FlowOf<Device, Real>::set_random(const std::string& field, const std::vector<double>& energy,
                                      std::uint64_t seed) {
    stepper_.forget();
    const bool derived = fields_.derived_from_velocity(field);
    const StateField of = derived ? fields_.of_state().front() : fields_.find(field);
    const Box box = options_.box();
    whorl::set_random(parts_.modes(),
                      RandomField<Real>{box,
                                        {box.unit(0), box.unit(1), box.unit(2)},
                                        of.group,
                                        fields_.parities_of(of.name),
                                        fields_.data(of),
                                        stepper_.modes(),
                                        seed,
                                        derived ? Metric::inverse_square : Metric::one},
                      energy);
}

template <class Device, class Real>
std::unique_ptr<Flow> make_flow_of(const Options& options, int communicator,
                                   std::unique_ptr<Equation<Device, Real>> equation) {
    return std::make_unique<FlowOf<Device, Real>>(options, communicator, std::move(equation));
}

#define WHORL_INSTANTIATE(Real)                                                                              \
    template std::unique_ptr<Flow> make_flow_of(const Options&, int,                                         \
                                                std::unique_ptr<Equation<device::Chosen, Real>>);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl

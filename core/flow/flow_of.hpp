// Flow on a device and in a precision, for any model.
#pragma once

#include "base/choice.hpp"
#include "fields/physical.hpp"
#include "flow/flow.hpp"
#include "flow/make_program_runs.hpp"
#include "flow/present_force.hpp"
#include "flow/saved_sources.hpp"
#include "flow/trip_options.hpp"
#include "forcing/registry.hpp"
#include "measure/outputs.hpp"
#include "storage/checkpoint.hpp"
#include "storage/regrid.hpp"
#include "storage/snapshot.hpp"

namespace whorl {

template <class Device, class Real> class FlowOf final : public Flow {
    using Memory = typename Device::Memory;

  public:
    FlowOf(const Options& options, int communicator, std::unique_ptr<Equation<Device, Real>> equation)
        : Flow(options, communicator), equation_(std::move(equation)), declared_(equation_->declaration()),
          shape_(shape_of(declared_, options)),
          device_(Device::queues ? world_.node().rank() : options.threads),
          trip_(options_.box(), truncation_,
                trip_options(options_, shape_.column_variables(), shape_.row_variables()), world_, device_),
          stepper_(trip_, world_, options_.box(), truncation_, *equation_, stepper_options()),
          programs_(make_program_runs<Device, Real>(
              {trip_, world_, options_, truncation_, [this] { return components(); },
               [this](const std::string& field, double time) { return force_on(field, time); },
               [this](Companion<Real>& companion) { stepper_.accompany(companion); },
               truncation_.dealiasing().shifts})) {
        options_.lines = trip_.lines().text();
        if constexpr (Device::queues)
            plane_trials_ = PlaneTrials<Device, Real>(trip_).fastest_first([this] { stepper_.evaluate(0); });
        options_.plane_bytes = trip_.plane_bytes();
        for (const forcing::SourceOptions& source : options_.forcing) add_source(source);
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

    int components_of(const std::string& name) const override {
        for (const auto& [known, components] : shape_.outputs)
            if (known == name) return components;
        const auto name_of = [](const auto& output) { return output.first; };
        throw Error("field \"" + name +
                    "\" is unknown; choose one of: " + listed(shape_.outputs, ", ", name_of) + ".");
    }

    const RowTable& rows() const override { return trip_.table(); }
    std::vector<int> ky() const override { return trip_.table().signed_ky(truncation_); }

    void read_modes(const std::string& name, void* values) override {
        device::Buffer<Complex<Real>, Memory> beside;
        const FieldModes<Real> field = modes_of(name, beside);
        device_.finish();
        Memory::to_host(values, field.data, bytes_of(field));
    }

    void write_modes(const std::string& name, const void* values) override {
        stepper_.forget();
        const StateField of = find(name);
        const FieldModes<Real> field = modes_of(of);
        device_.finish();
        Memory::from_host(field.data, values, bytes_of(field));
        if (!of.group.solenoidal) return;
        each_mode(modes(), MakeSolenoidal<Real>{field.data, field.modes});
        device_.finish();
    }

    void read_field(const std::string& name, const Callback& consume) override {
        read(name, [&](const PhysicalBlock& block, int components, Real* values) {
            consume(block, components, values);
        });
    }

    ProgramRuns& programs() override { return *programs_; }

    double speed_of_sources(double dt) const override { return stepper_.forces().speed(dt); }
    void begin_sources(double time) override { stepper_.forces().begin(stepper_.state(), time); }
    void set_force(std::size_t number, const Callback& fill) override;
    void set_force_modes(std::size_t number, const void* given) override;
    void set_factor(std::size_t number, double factor) override {
        stepper_.forces().source(number).set_factor(factor);
    }
    void call_for_force(std::size_t number, std::function<void(double)> function) override {
        stepper_.forces().call(number, std::move(function));
    }
    double forced_wavenumber(std::size_t number) override { return stepper_.forces().wavenumber(number); }
    void set_factor_in_time(std::size_t number, std::function<double(double)> factor) override {
        stepper_.forces().set_factor_in_time(number, std::move(factor));
    }
    std::vector<std::pair<double, double>> work_of_sources() override {
        std::vector<std::pair<double, double>> all;
        for (std::size_t n = 0; n < stepper_.forces().count(); ++n)
            all.emplace_back(stepper_.forces().work(n).power, stepper_.forces().work(n).total);
        return all;
    }
    std::vector<std::vector<double>> power_of_sources() override {
        std::vector<std::vector<double>> all;
        for (std::size_t n = 0; n < stepper_.forces().count(); ++n) all.push_back(power_of_source(n));
        return all;
    }
    std::map<std::string, double> save_sources() override { return saved_sources(stepper_.forces()); }
    void restore_sources(const std::map<std::string, double>& saved) override {
        restore(stepper_.forces(), saved);
    }

    std::size_t remembered_steps() override { return stepper_.history().steps().size(); }
    StepReport step(TimeStep time_step, std::int64_t step_number) override {
        const StepReport report = stepper_.step(time_step, step_number);
        if ((declared_.amplifies || stepper_.forces().amplifies()) &&
            step_number % real_every == real_every - 1)
            make_state_real();
        last_dt_ = report.dt;
        return report;
    }

    double first_step(TimeStep time_step, std::int64_t step_number) override {
        return stepper_.first_step(time_step, step_number);
    }

    std::map<std::string, std::pair<double, double>> step_errors() override;
    std::map<std::string, double> sums_over_modes() override;
    std::map<std::string, double> statistics() override;

    SpectraOf spectra() override;

    SpectraOf transfer() override;

    void write_checkpoint(const std::string& path, const storage::Attributes& attributes) override {
        auto access = mode_access();
        storage::write_checkpoint<Real>(path, attributes, options_.box(), truncation_, trip_.table(),
                                        stored_fields(), earlier_steps(), access, world_);
    }

    void read_checkpoint(const std::string& path) override {
        stepper_.forget();
        auto access = mode_access();
        storage::EarlierSteps<Real> earlier = earlier_steps();
        storage::read_checkpoint<Real>(path, options_.box(), truncation_, trip_.table(), stored_fields(),
                                       earlier, access, world_);
        stepper_.history().set_steps(earlier.dt);
    }

    void read_regridded(const std::string& path, const std::map<std::string, std::string>& names) override {
        stepper_.forget();
        std::vector<storage::StoredField<Real>> fields;
        for (const auto& [name, in_file] : names)
            add_stored(fields, find(name), stepper_.state(), in_file, "");
        auto access = mode_access();
        storage::read_regridded<Real>(path, options_.box(), truncation_, trip_.table(), fields, access,
                                      world_);
    }

    void evaluate() override { stepper_.evaluate(0); }
    void transform_pair(const std::string& field) override {
        whorl::transform_pair(trip_, modes_of(find(field)));
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
        bytes["forcing"] = stepper_.forces().bytes();
        return bytes;
    }

  private:
    // The state as programs see it.
    StateOfFlow<Real> components() {
        std::vector<Parity> parities;
        for (const StateField& field : state_fields())
            for (int v = 0; v < field.group.components; ++v)
                parities.push_back(parities_of(field.name)[static_cast<std::size_t>(v)]);
        return {stepper_.state(), stepper_.modes(), std::move(parities)};
    }

    ForceOfFlow<Device, Real> force_on(const std::string& name, double time) {
        const ForcedFieldOf of = forced_field(name);
        return present_force<Device, Real>(
            stepper_, modes(), {name, of.field.components, of.parities, declared_.mean_grows}, time,
            [&](device::Buffer<Complex<Real>, Memory>& beside) { return modes_of(name, beside); });
    }

    // A field of the state, the number of its first component, and its name in checkpoints. Checkpoints do
    // not contain the names of passive scalars, which are the user's.
    struct StateField {
        std::string name;
        FieldGroup group;
        int first;
        std::string in_files;
    };

    StepperOptions stepper_options() const {
        std::vector<std::array<double, 4>> scalars;
        for (const auto& [name, constants] : options_.scalars) scalars.push_back(constants);
        return {options_.scheme, options_.shift_seed, options_.is_exact(), scalars, shells()};
    }
    int shells() const {
        return shell_number(largest_wavenumber(), options_.box().smallest_wavenumber()) + 1;
    }

    // The field on which a source acts. A velocity that is not in the state is reached by way of its output.
    struct ForcedFieldOf {
        kernels::ForcedField field;
        bool solenoidal, plane;
        std::array<Parity, 3> parities;
    };
    ForcedFieldOf forced_field(const std::string& name) const {
        if (!derived_from_velocity(name)) {
            const StateField of = find(name);
            const kernels::ForcedField field{of.first, of.group.components, -1, speed_of(of)};
            return {field, of.group.solenoidal, false, parities_of(name)};
        }
        int output = 0;
        while (declared_.outputs[static_cast<std::size_t>(output)].name != name) ++output;
        return {{0, 3, output, 1.0}, true, true, parities_of(name)};
    }
    // The speed that belongs to a field of size 1: for a velocity 1, for a vorticity that at its largest
    // scale, otherwise 0.
    double speed_of(const StateField& of) const {
        if (of.group.solenoidal) return 1.0;
        const bool turns = declared_.set_from_velocity && of.first < declared_.fields;
        return turns ? 1.0 / options_.box().smallest_wavenumber() : 0.0;
    }
    void add_source(const forcing::SourceOptions& source) {
        const ForcedFieldOf of = forced_field(source.field);
        const forcing::Surroundings around{options_.box(), truncation_, trip_.table(), of.field.components,
                                           of.solenoidal,  of.plane,    of.parities};
        stepper_.forces().add(forcing::make_source(source, around), of.field);
    }
    void give(std::size_t number, const std::vector<Complex<Real>>& values) {
        stepper_.forces().give(number, values, [&] { // at all modes of the rank, also the mean
            return forcing::modes_of(forcing::Band::everything(), options_.box(), truncation_, trip_.table());
        });
    }
    std::vector<Complex<Real>> to_host(const device::Buffer<Complex<Real>, Memory>& made) {
        std::vector<Complex<Real>> values(made.size());
        device_.finish();
        Memory::to_host(values.data(), made.data(), made.bytes());
        return values;
    }
    // If the equations make modes grow, so do the errors of rounding in modes of no real field (kx = 0).
    // Transforms do not see these, so that no product ever limits them. A transform to the points and back
    // removes them.
    static constexpr std::int64_t real_every = 128; // steps
    void make_state_real();
    // The power of a source by shell. For a source on all modes it follows from the field's spectrum.
    std::vector<double> power_of_source(std::size_t number);

    // The state of some models without a velocity may be set from a velocity.
    bool derived_from_velocity(const std::string& field) const {
        return declared_.set_from_velocity && field == "velocity";
    }
    void set_from_velocity(const Complex<Real>* u) {
        equation_->take_velocity(modes(), u, stepper_.state());
        device_.finish();
    }

    std::vector<StateField> state_fields() const {
        std::vector<StateField> fields;
        int first = 0;
        for (const FieldGroup& group : declared_.groups) {
            fields.push_back({group.name, group, first, group.name});
            first += group.components;
        }
        for (std::size_t s = 0; s < options_.scalars.size(); ++s)
            fields.push_back(
                {options_.scalars[s].first, {"scalar", 1, false}, first++, "scalar" + std::to_string(s)});
        return fields;
    }
    StateField find(const std::string& name) const {
        const std::vector<StateField> fields = state_fields();
        for (const StateField& field : fields)
            if (field.name == name) return field;
        throw Error("model " + options_.model + " has no field \"" + name +
                    "\" to set; choose one of: " + listed(fields, ", ", &StateField::name) + ".");
    }
    storage::EarlierSteps<Real> earlier_steps() {
        storage::EarlierSteps<Real> earlier{{}, stepper_.history().steps()};
        for (int j = 1; j <= stepper_.history().longest(); ++j)
            earlier.fields.push_back(stored_fields(stepper_.earlier(j), "_earlier" + std::to_string(j)));
        return earlier;
    }
    // Scalars are stored one by one, solenoidal fields as a whole.
    std::vector<storage::StoredField<Real>> stored_fields() { return stored_fields(stepper_.state(), ""); }
    std::vector<storage::StoredField<Real>> stored_fields(Complex<Real>* set, const std::string& suffix) {
        std::vector<storage::StoredField<Real>> stored;
        for (const StateField& field : state_fields()) add_stored(stored, field, set, field.in_files, suffix);
        return stored;
    }
    void add_stored(std::vector<storage::StoredField<Real>>& stored, const StateField& field,
                    Complex<Real>* set, const std::string& name, const std::string& suffix) {
        const int parts = field.group.solenoidal ? 1 : field.group.components;
        for (int part = 0; part < parts; ++part)
            stored.push_back({(parts > 1 ? name + "_" + std::to_string(part) : name) + suffix,
                              field.group.solenoidal, set + (field.first + part) * stepper_.modes()});
    }
    storage::DeviceModes<Device, Real> mode_access() {
        return {device_, options_.box(), truncation_, trip_.table(), trip_.modes().rows};
    }
    Complex<Real>* data(const StateField& field) { return stepper_.state() + field.first * stepper_.modes(); }
    FieldView<Real> state() { return {stepper_.state(), stepper_.modes()}; }
    ModeSet<Device, Real> modes() {
        return {trip_.device(), world_,        trip_.exchanges().watchdog(),
                trip_.table(),  trip_.modes(), {options_.box().smallest_wavenumber(), shells()}};
    }

    // The parities of a field of the state are those of the output of the same name.
    std::array<Parity, 3> parities_of(const std::string& name) const {
        for (const Output& output : declared_.outputs)
            if (name == output.name) return output.parities;
        return {};
    }
    FieldModes<Real> modes_of(const StateField& field) {
        return {data(field), stepper_.modes(), field.group.components, parities_of(field.name)};
    }

    // A field of the state itself; an output is computed from the state in the scratch register, or in
    // `beside` if it has more components than the state, or where a step is under way.
    FieldModes<Real> modes_of(const std::string& name, device::Buffer<Complex<Real>, Memory>& beside);
    static std::size_t bytes_of(const FieldModes<Real>& field) {
        return static_cast<std::size_t>(field.components * field.modes) * sizeof(Complex<Real>);
    }

    template <class Consume> void read(const std::string& name, const Consume& consume) {
        const BlockCallback<Real> typed = [&](const PhysicalBlock& part, Real* values) {
            consume(part, components_of(name), values);
        };
        device::Buffer<Complex<Real>, Memory> beside;
        read_points(trip_, modes_of(name, beside), typed);
    }

    std::unique_ptr<Equation<Device, Real>> equation_;
    const Declaration& declared_;
    ModelShape shape_;
    Device device_;
    RoundTrip<Device, Real> trip_;
    Stepper<Device, Real> stepper_;
    std::shared_ptr<ProgramRuns> programs_;
    double last_dt_ = 0.0;
};

} // namespace whorl

// Compiled once for each device.
#include "flow/program_runs.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "device/chosen.hpp"
#include "flow/make_program_runs.hpp"
#include "flow/trip_options.hpp"
#include "particles/particles_of.hpp"
#include "programs/memory.hpp"
#include "programs/remap_modes.hpp"

namespace whorl {

// The state of a flow on fewer points, for programs that need products only at some of its modes. Its round
// trip and its memory are kept for the next time.
template <class Device, class Real> class NarrowFlow {
    using Memory = typename Device::Memory;

  public:
    NarrowFlow(const FlowOfPrograms<Device, Real>& flow, const std::array<int, 3>& points)
        : flow_(flow), options_(whorl::narrowed(flow.options, points)), truncation_(options_.truncation()),
          trip_(options_.box(), truncation_, trip_options(options_, width().columns, width().rows),
                flow.world, flow.trip.device()),
          runs_(make_program_runs<Device, Real>(
              {trip_, flow.world, options_, truncation_, [this] { return state(); },
               [](const std::string&, double) -> ForceOfFlow<Device, Real> {
                   throw Error("forces are not known on fewer points than the flow's.");
               },
               [](Companion<Real>&) { throw Error("a flow on fewer points makes no steps."); }, false})) {}
    NarrowFlow(const NarrowFlow&) = delete;
    NarrowFlow& operator=(const NarrowFlow&) = delete;

    ProgramRuns& runs() { return *runs_; }

    // Copies the present state of the flow. Collective.
    void bring() {
        const StateOfFlow<Real> given = flow_.state();
        parities_ = given.parities;
        const std::int64_t modes = trip_.table().modes();
        const auto size = static_cast<std::size_t>(static_cast<std::int64_t>(parities_.size()) * modes);
        if (state_.size() == 0)
            state_ = device::Buffer<Complex<Real>, Memory>(size, trip_.device().executors());
        std::vector<programs::NamedField<Real>> from;
        std::vector<Complex<Real>*> to;
        for (std::size_t f = 0; f < parities_.size(); ++f) {
            from.push_back({given.data + static_cast<std::int64_t>(f) * given.modes, parities_[f]});
            to.push_back(state_.data() + static_cast<std::int64_t>(f) * modes);
        }
        programs::remap_modes(flow_.trip, flow_.truncation, trip_, flow_.world, 0, from, to);
    }

    BytesOfRuns bytes() const {
        const auto [lasting, at_a_time] = runs_->bytes();
        return {lasting + own_bytes(trip_) + static_cast<std::int64_t>(state_.bytes()), at_a_time};
    }

  private:
    // The width that planned programs need, or one variable. Wider programs make round trips of their own.
    programs::Width width() const {
        const auto [columns, rows] = programs::widest(options_.programs);
        return {std::max(columns, 1), std::max(rows, 1)};
    }
    StateOfFlow<Real> state() { return {state_.data(), trip_.table().modes(), parities_}; }

    FlowOfPrograms<Device, Real> flow_;
    Options options_;
    Truncation truncation_;
    RoundTrip<Device, Real> trip_;
    device::Buffer<Complex<Real>, Memory> state_;
    std::vector<Parity> parities_;
    std::shared_ptr<ProgramRuns> runs_;
};

namespace {

// A probe of the fields of a flow; while it is open its bytes count among those of all probes.
template <class Real> class ProbeOfFlow final : public OpenProbe {
  public:
    using NamedFields = std::function<std::vector<programs::NamedField<Real>>()>;

    ProbeOfFlow(std::unique_ptr<programs::Probe<Real>> probe, NamedFields named_fields, std::int64_t bytes,
                std::shared_ptr<std::int64_t> of_all)
        : probe_(std::move(probe)), named_fields_(std::move(named_fields)), bytes_(bytes),
          of_all_(std::move(of_all)) {
        *of_all_ += bytes_;
    }
    ~ProbeOfFlow() override { *of_all_ -= bytes_; }
    ProbeOfFlow(const ProbeOfFlow&) = delete;
    ProbeOfFlow& operator=(const ProbeOfFlow&) = delete;
    std::size_t size() const override { return probe_->size(); }
    void read(std::span<double> values) override { probe_->read(named_fields_(), values); }

  private:
    std::unique_ptr<programs::Probe<Real>> probe_;
    NamedFields named_fields_;
    std::int64_t bytes_;
    std::shared_ptr<std::int64_t> of_all_;
};

template <class Device, class Real>
class ProgramRunsOf final : public ProgramRuns, private FlowOfParticles<Device, Real> {
    using Memory = typename Device::Memory;
    using Trip = RoundTrip<Device, Real>;
    using Trips = std::vector<std::unique_ptr<Trip>>;
    using Field = device::Buffer<Complex<Real>, Memory>;
    using NamedFields = typename FlowOfParticles<Device, Real>::NamedFields;

  public:
    explicit ProgramRunsOf(const FlowOfPrograms<Device, Real>& flow) : flow_(flow) {}

    programs::Found run(const programs::Program& program, const programs::Wanted& wanted,
                        const Callback& consume) override {
        const int inputs = static_cast<int>(program.inputs.size());
        const auto fluxes = static_cast<int>(programs::fluxes_of(program.products).size());
        Trip& trip = wide_enough({std::max(inputs, fluxes), std::max(inputs, wanted.products)});
        const std::vector<Parity> parities =
            programs::parities_of_fields(program.products, flow_.trip.layout().walls);
        return counted(parities.size(), [&] {
            programs::Fields<Real> fields{named_fields(), {}};
            WHORL_REQUIRE(static_cast<int>(program.products.size()) == wanted.products,
                          "a program does not say which fields its products belong to.");
            for (const Parity& parity : parities) {
                products_.push_back(std::move(spare_.back()));
                spare_.pop_back();
                parities_.push_back(parity);
                fields.products.push_back(products_.back().data());
            }
            return programs::evaluate(trip, flow_.world, flow_.options.box(), program, wanted, fields,
                                      flow_.shifts,
                                      BlockCallback<Real>([&](const PhysicalBlock& block, Real* values) {
                                          consume(block, wanted.values, values);
                                      }));
        });
    }
    std::vector<double> mode_means(const programs::InputTerms& inputs,
                                   const std::vector<programs::Pair>& pairs) override {
        return counted(
            0, [&] { return programs::mode_means(flow_.trip, flow_.world, inputs, pairs, named_fields()); });
    }
    std::vector<std::vector<double>> mode_spectra(const programs::InputTerms& inputs,
                                                  const std::vector<std::vector<programs::Pair>>& sums,
                                                  const std::vector<programs::ModeAxis>& axes) override {
        return counted(0, [&] {
            return programs::mode_spectra(flow_.trip, flow_.world, inputs, sums, named_fields(), axes);
        });
    }
    std::unique_ptr<OpenProbe> probe_modes(const programs::InputTerms& inputs,
                                           const std::vector<programs::ModeNumbers>& modes) override {
        return opened(
            [&] { return programs::probe_modes(flow_.trip, flow_.world, flow_.truncation, inputs, modes); });
    }
    std::unique_ptr<OpenProbe> probe_points(const programs::InputTerms& inputs,
                                            const std::vector<programs::Position>& positions) override {
        return opened([&] {
            return programs::probe_points(flow_.trip, flow_.world, flow_.options.box(), flow_.truncation,
                                          inputs, positions);
        });
    }
    std::vector<std::vector<double>> increments(const programs::Program& program, int axis,
                                                const programs::IncrementsWanted& wanted) override {
        const int inputs = static_cast<int>(program.inputs.size());
        Trip& trip = axis == 0 ? wide_enough({inputs, inputs}) : swapped_trip(axis, inputs);
        return counted(0, [&] {
            return axis == 0 ? programs::increments(trip, flow_.world, flow_.options.box(), program, wanted,
                                                    named_fields())
                             : swapped_increments(trip, program, axis, wanted);
        });
    }
    ProgramRuns& narrowed(const std::array<int, 3>& points) override {
        auto& one = narrow_[points];
        if (!one) one = std::make_unique<NarrowFlow<Device, Real>>(flow_, points);
        one->bring();
        return one->runs();
    }
    ParticleGroup& particles(const ParticleOptions& options) override {
        FlowOfParticles<Device, Real>& own = *this;
        auto group =
            std::make_unique<ParticlesOf<Device, Real>>(options, flow_.options.box(), flow_.world, own);
        flow_.accompany(*group);
        groups_.push_back(std::move(group));
        return *groups_.back();
    }
    void bring_force(const std::string& field, double time) override {
        WHORL_REQUIRE(products_.empty(), "forces must be brought before products.");
        // A function that gives a force may run programs of its own, and forget their products.
        std::vector<ForceOfFlow<Device, Real>> before = std::exchange(forces_, {});
        before.push_back(flow_.force(field, time));
        forces_ = std::move(before);
        std::int64_t bytes = 0;
        for (const auto& force : forces_) bytes += static_cast<std::int64_t>(force.values.bytes());
        most_forces_ = std::max(most_forces_, bytes);
    }
    void forget_products() override {
        forces_.clear();
        for (Field& product : products_) spare_.push_back(std::move(product));
        products_.clear();
        parities_.clear();
    }
    std::int64_t particle_bytes() const override {
        std::int64_t bytes = 0;
        for (const auto& group : groups_) bytes += group->bytes();
        return bytes;
    }
    BytesOfRuns bytes() const override {
        BytesOfRuns all{*probes_, most_ + most_forces_};
        for (const std::vector<Field>* fields : {&products_, &spare_})
            for (const Field& field : *fields) all.lasting += static_cast<std::int64_t>(field.bytes());
        for (const Trips& trips : wide_)
            for (const auto& own : trips) all.lasting += own_bytes(*own);
        for (const auto& [points, one] : narrow_) {
            all.lasting += one->bytes().lasting;
            all.at_a_time += one->bytes().at_a_time;
        }
        return all;
    }

  private:
    void with_fields(const ParticleOptions& particles, double time,
                     const std::function<void(const NamedFields&)>& use) override {
        const Forgotten forgotten{*this};
        for (const std::string& field : particles.forces) bring_force(field, time);
        for (const programs::Program& program : particles.programs) {
            programs::Wanted wanted;
            wanted.products = static_cast<int>(program.products.size());
            run(program, wanted, [](const PhysicalBlock&, int, void*) {});
        }
        use(named_fields());
    }
    // Forgets products at the end of a scope.
    struct Forgotten {
        ProgramRunsOf& runs;
        ~Forgotten() { runs.forget_products(); }
    };
    // Runs with `product_fields` fields, and counts all other bytes of the run.
    template <class Run> auto counted(std::size_t product_fields, const Run& run) {
        while (spare_.size() < product_fields)
            spare_.emplace_back(static_cast<std::size_t>(flow_.state().modes),
                                flow_.trip.device().executors());
        const device::Peak<Memory> peak;
        auto found = run();
        most_ = std::max(most_, peak.most());
        return found;
    }
    template <class Open> std::unique_ptr<OpenProbe> opened(const Open& open) {
        const device::Peak<Memory> peak;
        auto probe = open();
        return std::make_unique<ProbeOfFlow<Real>>(
            std::move(probe), [this] { return named_fields(); }, peak.now(), probes_);
    }
    std::vector<std::vector<double>> swapped_increments(Trip& trip, const programs::Program& program,
                                                        int axis, const programs::IncrementsWanted& wanted) {
        const std::vector<programs::NamedField<Real>> all = named_fields();
        const std::vector<int> fields = programs::fields_of(program);
        const auto modes = static_cast<std::size_t>(trip.table().modes());
        std::vector<device::Buffer<Complex<Real>, Memory>> buffers;
        std::vector<programs::NamedField<Real>> from, named_there;
        std::vector<Complex<Real>*> to;
        for (const int field : fields) {
            from.push_back(all.at(static_cast<std::size_t>(field)));
            to.push_back(buffers.emplace_back(modes, trip.device().executors()).data());
            named_there.push_back({to.back(), from.back().parity});
        }
        programs::remap_modes(flow_.trip, flow_.truncation, trip, flow_.world, axis, from, to);
        return programs::increments(trip, flow_.world, swapped(flow_.options.box(), axis),
                                    programs::swapped(program, axis, fields), wanted, named_there);
    }
    NamedFields named_fields() const override {
        const StateOfFlow<Real> state = flow_.state();
        NamedFields all;
        for (std::size_t f = 0; f < state.parities.size(); ++f)
            all.push_back({state.data + static_cast<std::int64_t>(f) * state.modes, state.parities[f]});
        for (const ForceOfFlow<Device, Real>& force : forces_)
            for (std::size_t c = 0; c < force.parities.size(); ++c)
                all.push_back(
                    {force.values.data() + static_cast<std::int64_t>(c) * state.modes, force.parities[c]});
        for (std::size_t p = 0; p < products_.size(); ++p) all.push_back({products_[p].data(), parities_[p]});
        return all;
    }
    Trip& wide_enough(int inputs) override { return wide_enough({inputs, inputs}); }
    // The round trip of the steps, or another one that is kept for later programs, as wide as the planned
    // ones need. None is released: MPI's objects for it stay until the flow is closed.
    Trip& wide_enough(const programs::Width& needed) { return wide_enough(wide_[0], flow_.options, needed); }
    Trip& wide_enough(Trips& trips, const Options& options, const programs::Width& needed) {
        const bool same = options.points == flow_.options.points && options.lengths == flow_.options.lengths;
        if (same && needed.fits(flow_.trip.layout())) return flow_.trip;
        for (const auto& own : trips)
            if (needed.fits(own->layout())) return *own;
        programs::Width least = programs::widest(flow_.options.programs);
        if (!trips.empty()) {
            const Layout& last = trips.back()->layout();
            least = {2 * last.column_variables, 2 * last.row_variables};
        }
        const int columns = std::max(needed.columns, least.columns);
        const int rows = std::max(needed.rows, least.rows);
        trips.push_back(std::make_unique<Trip>(options.box(), options.truncation(),
                                               trip_options(options, columns, rows), flow_.world,
                                               flow_.trip.device()));
        return *trips.back();
    }

    // The round trip of the box with the first and another axis swapped, which may be the box itself.
    Trip& swapped_trip(int axis, int inputs) {
        const Options options = swapped(flow_.options, axis);
        const bool same = options.points == flow_.options.points && options.lengths == flow_.options.lengths;
        return same ? wide_enough({inputs, inputs})
                    : wide_enough(wide_[static_cast<std::size_t>(axis)], options, {inputs, inputs});
    }

    FlowOfPrograms<Device, Real> flow_;
    std::array<Trips, 3> wide_; // of the box, and with y or z in place of x
    std::map<std::array<int, 3>, std::unique_ptr<NarrowFlow<Device, Real>>> narrow_; // by their points
    std::vector<std::unique_ptr<ParticleGroup>> groups_;
    std::vector<ForceOfFlow<Device, Real>> forces_;
    std::vector<Field> products_, spare_;
    std::vector<Parity> parities_;
    std::shared_ptr<std::int64_t> probes_ = std::make_shared<std::int64_t>(0); // bytes
    std::int64_t most_ = 0, most_forces_ = 0;                                  // at a time
};

} // namespace

template <class Device, class Real>
std::shared_ptr<ProgramRuns> make_program_runs(const FlowOfPrograms<Device, Real>& flow) {
    return std::make_shared<ProgramRunsOf<Device, Real>>(flow);
}

template std::shared_ptr<ProgramRuns> make_program_runs(const FlowOfPrograms<device::Chosen, float>&);
template std::shared_ptr<ProgramRuns> make_program_runs(const FlowOfPrograms<device::Chosen, double>&);

} // namespace whorl

// Compiled once for each device.
#include "bindings/program_runs.hpp"

#include <algorithm>
#include <memory>

#include "bindings/make_program_runs.hpp"
#include "bindings/trip_options.hpp"
#include "device/chosen.hpp"

namespace whorl {

namespace {

// A probe of the fields of a flow.
template <class Real> class ProbeOfFlow final : public OpenProbe {
  public:
    using Sources = std::function<std::vector<programs::Source<Real>>()>;

    ProbeOfFlow(std::unique_ptr<programs::Probe<Real>> probe, Sources sources)
        : probe_(std::move(probe)), sources_(std::move(sources)) {}
    std::size_t size() const override { return probe_->size(); }
    void read(std::span<double> values) override { probe_->read(sources_(), values); }

  private:
    std::unique_ptr<programs::Probe<Real>> probe_;
    Sources sources_;
};

template <class Device, class Real> class ProgramRunsOf final : public ProgramRuns {
    using Memory = typename Device::Memory;
    using Trip = RoundTrip<Device, Real>;

  public:
    explicit ProgramRunsOf(const FlowOfPrograms<Device, Real>& flow) : flow_(flow) {}

    programs::Found run(const programs::Program& program, const programs::Wanted& wanted,
                        const Callback& consume) override {
        programs::Fields<Real> fields;
        fields.sources = sources();
        WHORL_REQUIRE(static_cast<int>(program.products.size()) == wanted.products,
                      "a program does not say which fields its products belong to.");
        const std::int64_t modes = flow_.state().modes;
        for (const Parity& parity :
             programs::parities_of_fields(program.products, flow_.trip.layout().walls)) {
            products_.emplace_back(static_cast<std::size_t>(modes), flow_.trip.device().executors());
            parities_.push_back(parity);
            fields.products.push_back(products_.back().data());
        }
        const int inputs = static_cast<int>(program.inputs.size());
        return programs::evaluate(wide_enough(inputs, wanted.products), flow_.world, flow_.options.box(),
                                  program, wanted, fields, flow_.truncation.dealiasing().shifts,
                                  BlockCallback<Real>([&](const PhysicalBlock& block, Real* values) {
                                      consume(block, wanted.values, values);
                                  }));
    }
    std::vector<double> mode_means(const Inputs& inputs, const std::vector<programs::Pair>& pairs) override {
        return programs::mode_means(flow_.trip, flow_.world, inputs, pairs, sources());
    }
    std::vector<std::vector<double>>
    mode_spectra(const Inputs& inputs, const std::vector<programs::Pair>& pairs, int shells) override {
        return programs::mode_spectra(flow_.trip, flow_.world, inputs, pairs, sources(),
                                      {flow_.options.box().smallest_wavenumber(), shells});
    }
    std::unique_ptr<OpenProbe> probe_modes(const Inputs& inputs,
                                           const std::vector<programs::ModeNumbers>& modes) override {
        return opened(programs::probe_modes(flow_.trip, flow_.world, flow_.truncation, inputs, modes));
    }
    std::unique_ptr<OpenProbe> probe_points(const Inputs& inputs,
                                            const std::vector<programs::Position>& positions) override {
        return opened(programs::probe_points(flow_.trip, flow_.world, flow_.options.box(), flow_.truncation,
                                             inputs, positions));
    }
    void forget_products() override {
        products_.clear();
        parities_.clear();
    }

  private:
    std::unique_ptr<OpenProbe> opened(std::unique_ptr<programs::Probe<Real>> probe) {
        return std::make_unique<ProbeOfFlow<Real>>(std::move(probe), [this] { return sources(); });
    }
    std::vector<programs::Source<Real>> sources() const {
        const StateOfFlow<Real> state = flow_.state();
        std::vector<programs::Source<Real>> all;
        for (std::size_t f = 0; f < state.parities.size(); ++f)
            all.push_back({state.data + static_cast<std::int64_t>(f) * state.modes, state.parities[f]});
        for (std::size_t p = 0; p < products_.size(); ++p) all.push_back({products_[p].data(), parities_[p]});
        return all;
    }
    // The round trip of the steps, or one of its own that stays for programs to come. None is taken away
    // again: what MPI keeps for it stays until the flow is closed.
    Trip& wide_enough(int inputs, int products) {
        const int columns = std::max(inputs, products), rows = columns;
        const auto fits = [&](const Trip& one) {
            return columns <= one.layout().column_variables && rows <= one.layout().row_variables;
        };
        if (fits(flow_.trip)) return flow_.trip;
        for (const auto& own : wide_)
            if (fits(*own)) return *own;
        const int width = std::max(columns, wide_.empty() ? 0 : 2 * wide_.back()->layout().column_variables);
        wide_.push_back(std::make_unique<Trip>(flow_.options.box(), flow_.truncation,
                                               trip_options(flow_.options, width, width), flow_.world,
                                               flow_.trip.device()));
        return *wide_.back();
    }

    FlowOfPrograms<Device, Real> flow_;
    std::vector<std::unique_ptr<Trip>> wide_;
    std::vector<device::Buffer<Complex<Real>, Memory>> products_;
    std::vector<Parity> parities_;
};

} // namespace

template <class Device, class Real>
std::shared_ptr<ProgramRuns> make_program_runs(const FlowOfPrograms<Device, Real>& flow) {
    return std::make_shared<ProgramRunsOf<Device, Real>>(flow);
}

template std::shared_ptr<ProgramRuns> make_program_runs(const FlowOfPrograms<device::Chosen, float>&);
template std::shared_ptr<ProgramRuns> make_program_runs(const FlowOfPrograms<device::Chosen, double>&);

} // namespace whorl

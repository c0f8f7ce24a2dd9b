// Compiled once for each device.
#include "flow/flow_of.hpp"

#include <numeric>
#include <string_view>

#include "device/chosen.hpp"
#include "fields/random.hpp"
#include "flow/make_flow.hpp"
#include "flow/real_fields.hpp"

namespace whorl {

template <class Device, class Real>
void FlowOf<Device, Real>::set_physical(const std::string& field, const Callback& fill, bool project) {
    stepper_.forget();
    if (derived_from_velocity(field)) {
        device::Buffer<Complex<Real>, Memory> velocity(static_cast<std::size_t>(3 * stepper_.modes()),
                                                       device_.executors());
        write_points(
            trip_, FieldModes<Real>{velocity.data(), stepper_.modes(), 3, parities_of(field)}, project,
            BlockCallback<Real>([&](const PhysicalBlock& block, Real* values) { fill(block, 3, values); }));
        set_from_velocity(velocity.data());
        return;
    }
    const StateField of = find(field);
    write_points(trip_, modes_of(of), project && of.group.solenoidal,
                 BlockCallback<Real>([&](const PhysicalBlock& block, Real* values) {
                     fill(block, of.group.components, values);
                 }));
}

template <class Device, class Real>
void FlowOf<Device, Real>::set_random(const std::string& field, const std::vector<double>& energy,
                                      std::uint64_t seed) {
    stepper_.forget();
    const bool derived = derived_from_velocity(field);
    const StateField of = derived ? state_fields().front() : find(field);
    const Box box = options_.box();
    whorl::set_random(modes(),
                      RandomField<Real>{box,
                                        {box.unit(0), box.unit(1), box.unit(2)},
                                        of.group,
                                        parities_of(of.name),
                                        data(of),
                                        stepper_.modes(),
                                        seed,
                                        derived ? Metric::inverse_square : Metric::one},
                      energy);
}

template <class Device, class Real>
void FlowOf<Device, Real>::set_force(std::size_t number, const Callback& fill) {
    const ForcedFieldOf of = forced_field(options_.forcing.at(number).field);
    const auto size = static_cast<std::size_t>(of.field.components * stepper_.modes());
    device::Buffer<Complex<Real>, Memory> made(size, device_.executors());
    write_points(trip_, FieldModes<Real>{made.data(), stepper_.modes(), of.field.components, of.parities},
                 of.solenoidal, BlockCallback<Real>([&](const PhysicalBlock& block, Real* values) {
                     fill(block, of.field.components, values);
                 }));
    give(number, to_host(made));
}

template <class Device, class Real>
void FlowOf<Device, Real>::set_force_modes(std::size_t number, const void* given) {
    const std::string name = options_.forcing.at(number).field;
    const ForcedFieldOf of = forced_field(name);
    const auto size = static_cast<std::size_t>(of.field.components * stepper_.modes());
    device::Buffer<Complex<Real>, Memory> made(size, device_.executors());
    device_.finish();
    Memory::from_host(made.data(), given, made.bytes());
    if (of.solenoidal) each_mode(modes(), MakeSolenoidal<Real>{made.data(), stepper_.modes()});
    make_real(trip_, modes(),
              FieldModes<Real>{made.data(), stepper_.modes(), of.field.components, of.parities}, name);
    give(number, to_host(made));
}

template <class Device, class Real> std::map<std::string, double> FlowOf<Device, Real>::sums_over_modes() {
    std::map<std::string, double> all;
    const std::vector<double> measures = equation_->measures(modes(), state());
    const std::size_t sums = declared_.sums.size();
    for (std::size_t n = 0; n < measures.size(); ++n)
        all[n < sums ? declared_.sums[n] : declared_.maxima[n - sums]] = measures[n];
    return all;
}

template <class Device, class Real>
std::map<std::string, std::pair<double, double>> FlowOf<Device, Real>::step_errors() {
    WHORL_REQUIRE(options_.scheme.estimates,
                  "time.scheme = \"" + options_.scheme.name + "\" estimates no error of its steps.");
    std::vector<double> squares;
    for (const StateField& field : state_fields())
        for (Complex<Real>* const set : {stepper_.error(), stepper_.state()}) {
            const kernels::RowsOfField<Real> rows{trip_.modes(),
                                                  set,
                                                  stepper_.modes(),
                                                  static_cast<std::int64_t>(trip_.table().height()) *
                                                      trip_.modes().nz,
                                                  {field.first, field.group.components},
                                                  true};
            squares.push_back(device_.reduce(rows.rows, 1, 0, kernels::EnergyOfRow<Real>{rows})[0]);
        }
    world_.sum(squares);
    std::map<std::string, std::pair<double, double>> errors;
    auto next = squares.begin();
    for (const StateField& field : state_fields()) {
        errors[field.name] = {std::sqrt(2.0 * next[0]), std::sqrt(2.0 * next[1])};
        next += 2;
    }
    return errors;
}

template <class Device, class Real> std::map<std::string, double> FlowOf<Device, Real>::statistics() {
    std::map<std::string, double> all = sums_over_modes();
    if (const auto wave = equation_->wave_function())
        add_superfluid_statistics(modes(), superfluid_flow(trip_, modes(), *wave, stepper_.state()), all);
    if (declared_.loses_to_field) {
        const auto gain = transfer().at("magnetic");
        all["lorentz_work"] = -std::accumulate(gain.begin(), gain.end(), 0.0);
    }
    for (std::size_t s = 0; s < options_.scalars.size(); ++s) {
        const auto& [name, constants] = options_.scalars[s];
        const auto of_scalar = equation_->scalar(modes(), state(), static_cast<int>(s), constants);
        for (std::size_t n = 0; n < of_scalar.size(); ++n)
            all[name + "_" + scalar_measures[n]] = of_scalar[n];
    }
    return all;
}

template <class Device, class Real> SpectraOf FlowOf<Device, Real>::spectra() {
    const ModeSet<Device, Real> set = modes();
    SpectraOf spectra;
    for (const int which : declared_.spectra)
        spectra[declared_.sums[static_cast<std::size_t>(which)]] = equation_->spectrum(set, state(), which);
    if (const auto wave = equation_->wave_function())
        add_superfluid_spectra(set, superfluid_flow(trip_, set, *wave, stepper_.state()), spectra);
    for (std::size_t s = 0; s < options_.scalars.size(); ++s)
        spectra[options_.scalars[s].first + "_" + scalar_measures[0]] =
            energy_spectrum(set, state().from(declared_.fields + static_cast<int>(s)), 1);
    for (int n = 0; n < set.shells.count; ++n) spectra["k"].push_back(n * set.shells.smallest_wavenumber);
    return spectra;
}

template <class Device, class Real> SpectraOf FlowOf<Device, Real>::transfer() {
    SpectraOf mean;
    const auto add = [&](const std::string& name, const std::vector<double>& of_grid) {
        auto& sum = mean[name];
        sum.resize(of_grid.size());
        for (std::size_t n = 0; n < sum.size(); ++n) sum[n] += of_grid[n] / stepper_.grids();
    };
    for (int grid = 0; grid < stepper_.grids(); ++grid) {
        stepper_.evaluate(grid);
        const FieldView<Real> tendency{stepper_.scratch(), stepper_.modes()};
        for (const StateField& field : state_fields()) {
            const FieldView<Real> of = state().from(field.first), gain = tendency.from(field.first);
            add(field.name, transfer_spectrum(modes(), of, gain, field.group.components));
            if (std::string_view(field.group.name) == "velocity")
                add("enstrophy of velocity", enstrophy_transfer(modes(), of, gain));
        }
    }
    return mean;
}

template <class Device, class Real>
std::vector<double> FlowOf<Device, Real>::power_of_source(std::size_t number) {
    auto& forces = stepper_.forces();
    if (!forces.source(number).everywhere()) return forces.power_by_shell(number, last_dt_);
    const std::string name = forces.source(number).field();
    device::Buffer<Complex<Real>, Memory> beside;
    const FieldModes<Real> field = modes_of(name, beside);
    auto spectrum = energy_spectrum(modes(), FieldView<Real>{field.data, field.modes}, field.components);
    if (!declared_.mean_grows) spectrum[0] = 0.0;
    const double energy = std::accumulate(spectrum.begin(), spectrum.end(), 0.0);
    const double rate = energy > 0.0 ? forces.source(number).gain(energy) : 0.0;
    for (double& of_shell : spectrum) of_shell *= 2.0 * rate;
    return spectrum;
}

template <class Device, class Real> void FlowOf<Device, Real>::make_state_real() {
    stepper_.forces().forget();
    trip_.shift({0.0, 0.0, 0.0});
    for (const StateField& of : state_fields()) {
        const FieldModes<Real> field = modes_of(of);
        whorl::transform_pair(trip_, field);
        if (of.group.solenoidal) each_mode(modes(), MakeSolenoidal<Real>{field.data, field.modes});
    }
}

template <class Device, class Real>
FieldModes<Real> FlowOf<Device, Real>::modes_of(const std::string& name,
                                                device::Buffer<Complex<Real>, Memory>& beside) {
    for (const StateField& field : state_fields())
        if (field.name == name) return modes_of(field);
    const int components = components_of(name);
    const std::int64_t modes = stepper_.modes();
    int which = 0;
    for (const Output& output : declared_.outputs) {
        if (name != output.name) {
            ++which;
            continue;
        }
        const bool is_beside = components > declared_.fields || stepper_.is_stepping();
        if (is_beside)
            beside = device::Buffer<Complex<Real>, Memory>(static_cast<std::size_t>(components * modes),
                                                           device_.executors());
        Complex<Real>* const made = is_beside ? beside.data() : stepper_.scratch();
        equation_->derive(this->modes(), stepper_.state(), made, which, components);
        return {made, modes, components, parities_of(name)};
    }
    throw Error("field \"" + name + "\" is declared by no output of the model.");
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

// The measures of a flow: sums over the modes of its state, spectra, transfer, and errors of a step.
#pragma once

#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "flow/flow_fields.hpp"

namespace whorl {

template <class Device, class Real> class FlowMeasures {
  public:
    FlowMeasures(const FlowParts<Device, Real>& flow, FlowFields<Device, Real>& fields)
        : flow_(flow), fields_(fields) {}

    std::map<std::string, double> sums_over_modes() {
        std::map<std::string, double> all;
        const Declaration& model = flow_.model();
        const std::vector<double> measures = flow_.equation.measures(flow_.modes(), fields_.state());
        const std::size_t sums = model.sums.size();
        for (std::size_t n = 0; n < measures.size(); ++n)
            all[n < sums ? model.sums[n] : model.maxima[n - sums]] = measures[n];
        return all;
    }

    std::map<std::string, double> statistics() {
        std::map<std::string, double> all = sums_over_modes();
        const ModeSet<Device, Real> set = flow_.modes();
        if (const auto wave = flow_.equation.wave_function())
            add_superfluid_statistics(set, superfluid_flow(flow_.trip, set, *wave, flow_.stepper.state()),
                                      all);
        if (flow_.model().loses_to_field) {
            const auto gain = transfer().at("magnetic");
            all["lorentz_work"] = -std::accumulate(gain.begin(), gain.end(), 0.0);
        }
        for (std::size_t s = 0; s < flow_.options.scalars.size(); ++s) {
            const auto& [name, constants] = flow_.options.scalars[s];
            const auto of_scalar =
                flow_.equation.scalar(set, fields_.state(), static_cast<int>(s), constants);
            for (std::size_t n = 0; n < of_scalar.size(); ++n)
                all[name + "_" + scalar_measures[n]] = of_scalar[n];
        }
        return all;
    }

    SpectraOf spectra() {
        const ModeSet<Device, Real> set = flow_.modes();
        const Declaration& model = flow_.model();
        SpectraOf spectra;
        for (const int which : model.spectra)
            spectra[model.sums[static_cast<std::size_t>(which)]] =
                flow_.equation.spectrum(set, fields_.state(), which);
        if (const auto wave = flow_.equation.wave_function())
            add_superfluid_spectra(set, superfluid_flow(flow_.trip, set, *wave, flow_.stepper.state()),
                                   spectra);
        for (std::size_t s = 0; s < flow_.options.scalars.size(); ++s)
            spectra[flow_.options.scalars[s].first + "_" + scalar_measures[0]] =
                energy_spectrum(set, fields_.state().from(model.fields + static_cast<int>(s)), 1);
        for (int n = 0; n < set.shells.count; ++n) spectra["k"].push_back(n * set.shells.smallest_wavenumber);
        return spectra;
    }

    SpectraOf transfer() {
        Stepper<Device, Real>& stepper = flow_.stepper;
        SpectraOf mean;
        const auto add = [&](const std::string& name, const std::vector<double>& of_grid) {
            auto& sum = mean[name];
            sum.resize(of_grid.size());
            for (std::size_t n = 0; n < sum.size(); ++n) sum[n] += of_grid[n] / stepper.grids();
        };
        for (int grid = 0; grid < stepper.grids(); ++grid) {
            stepper.evaluate(grid);
            const FieldView<Real> tendency{stepper.scratch(), stepper.modes()};
            for (const StateField& field : fields_.of_state()) {
                const FieldView<Real> of = fields_.state().from(field.first),
                                      gain = tendency.from(field.first);
                add(field.name, transfer_spectrum(flow_.modes(), of, gain, field.group.components));
                if (std::string_view(field.group.name) == "velocity")
                    add("enstrophy of velocity", enstrophy_transfer(flow_.modes(), of, gain));
            }
        }
        return mean;
    }

    std::map<std::string, std::pair<double, double>> step_errors() {
        WHORL_REQUIRE(flow_.options.scheme.estimates,
                      "time.scheme = \"" + flow_.options.scheme.name + "\" estimates no error of its steps.");
        std::vector<double> squares;
        for (const StateField& field : fields_.of_state())
            for (Complex<Real>* const set : {flow_.stepper.error(), flow_.stepper.state()})
                squares.push_back(energy_of(field, set));
        flow_.world.sum(squares);
        std::map<std::string, std::pair<double, double>> errors;
        auto next = squares.begin();
        for (const StateField& field : fields_.of_state()) {
            errors[field.name] = {std::sqrt(2.0 * next[0]), std::sqrt(2.0 * next[1])};
            next += 2;
        }
        return errors;
    }

  private:
    // The rank's energy of a field in a register.
    double energy_of(const StateField& field, Complex<Real>* set) {
        const RoundTrip<Device, Real>& trip = flow_.trip;
        const kernels::RowsOfField<Real> rows{trip.modes(),
                                              set,
                                              flow_.stepper.modes(),
                                              static_cast<std::int64_t>(trip.table().height()) *
                                                  trip.modes().nz,
                                              {field.first, field.group.components},
                                              true};
        return flow_.trip.device().reduce(rows.rows, 1, 0, kernels::EnergyOfRow<Real>{rows})[0];
    }

    FlowParts<Device, Real> flow_;
    FlowFields<Device, Real>& fields_;
};

} // namespace whorl

// Programs of a flow: the products they have brought back, and round trips wide enough for them.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "bindings/trip_options.hpp"
#include "programs/evaluate.hpp"
#include "programs/mode_sums.hpp"

namespace whorl {

template <class Device, class Real> class ProgramRuns {
    using Memory = typename Device::Memory;
    using Trip = RoundTrip<Device, Real>;

  public:
    // The state and its parities, of so many modes each.
    struct State {
        Complex<Real>* data;
        std::int64_t modes;
        std::vector<Parity> parities;
    };

    // Runs a program over the components of the state and, behind them, the products so far; its own products
    // are kept behind those (programs/evaluate.hpp).
    programs::Found run(Trip& trip, const exchange::Communicator& world, const Options& options,
                        const Truncation& truncation, const State& state, const programs::Program& program,
                        const programs::Wanted& wanted, const BlockCallback<Real>& consume) {
        programs::Fields<Real> fields;
        fields.sources = sources_of(state);
        WHORL_REQUIRE(static_cast<int>(program.parities.size()) == wanted.products,
                      "a program does not give the parities of its products.");
        for (const auto& [x, y, z] : program.parities) {
            products_.emplace_back(static_cast<std::size_t>(state.modes), trip.device().executors());
            parities_.push_back({x, y, z});
            fields.products.push_back(products_.back().data());
            fields.parities.push_back(parities_.back());
        }
        const int inputs = static_cast<int>(program.inputs.size());
        return programs::evaluate(wide_enough(trip, world, options, truncation, inputs, wanted.products),
                                  world, options.box(), program, wanted, fields,
                                  truncation.dealiasing().shifts, consume);
    }
    // Sums over modes of pairs of inputs, over the components of the state and the products so far
    // (programs/mode_sums.hpp).
    std::vector<double> mode_means(Trip& trip, const exchange::Communicator& world, const State& state,
                                   const std::vector<std::vector<programs::Term>>& inputs,
                                   const std::vector<programs::Pair>& pairs) const {
        return programs::mode_means(trip, world, inputs, pairs, sources_of(state));
    }
    std::vector<std::vector<double>> mode_spectra(Trip& trip, const exchange::Communicator& world,
                                                  const State& state,
                                                  const std::vector<std::vector<programs::Term>>& inputs,
                                                  const std::vector<programs::Pair>& pairs,
                                                  programs::ShellsOf shells) const {
        return programs::mode_spectra(trip, world, inputs, pairs, sources_of(state), shells);
    }
    void forget_products() {
        products_.clear();
        parities_.clear();
    }

  private:
    std::vector<programs::Source<Real>> sources_of(const State& state) const {
        std::vector<programs::Source<Real>> sources;
        for (std::size_t f = 0; f < state.parities.size(); ++f)
            sources.push_back({state.data + static_cast<std::int64_t>(f) * state.modes, state.parities[f]});
        for (std::size_t p = 0; p < products_.size(); ++p)
            sources.push_back({products_[p].data(), parities_[p]});
        return sources;
    }
    // The round trip of the steps, or one of its own that stays for programs to come. None is taken away
    // again: what MPI keeps for it stays until the flow is closed.
    Trip& wide_enough(Trip& trip, const exchange::Communicator& world, const Options& options,
                      const Truncation& truncation, int inputs, int products) {
        const int columns = std::max(inputs, products), rows = columns;
        const auto fits = [&](const Trip& one) {
            return columns <= one.layout().column_variables && rows <= one.layout().row_variables;
        };
        if (fits(trip)) return trip;
        for (const auto& own : wide_)
            if (fits(*own)) return *own;
        const int width = std::max(columns, wide_.empty() ? 0 : 2 * wide_.back()->layout().column_variables);
        wide_.push_back(std::make_unique<Trip>(options.box(), truncation, trip_options(options, width, width),
                                               world, trip.device()));
        return *wide_.back();
    }

    std::vector<std::unique_ptr<Trip>> wide_;
    std::vector<device::Buffer<Complex<Real>, Memory>> products_;
    std::vector<Parity> parities_;
};

} // namespace whorl

// The state of a flow on fewer points, for programs that need products only at some of its modes. Its round
// trip and its memory are kept for the next time.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "flow/make_program_runs.hpp"
#include "flow/program_runs.hpp"
#include "flow/trip_options.hpp"
#include "programs/memory.hpp"
#include "programs/moved_modes.hpp"

namespace whorl {

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
        std::vector<programs::Source<Real>> from;
        std::vector<Complex<Real>*> to;
        for (std::size_t f = 0; f < parities_.size(); ++f) {
            from.push_back({given.data + static_cast<std::int64_t>(f) * given.modes, parities_[f]});
            to.push_back(state_.data() + static_cast<std::int64_t>(f) * modes);
        }
        programs::move_modes(flow_.trip, flow_.truncation, trip_, flow_.world, 0, from, to);
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

} // namespace whorl

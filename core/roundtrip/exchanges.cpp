// What a round trip exchanges with other ranks, when, and how it is timed, watched and counted. Compiled once
// for each device.
#include <cmath>
#include <limits>
#include <new>
#include <tuple>

#include "base/maximum.hpp"
#include "device/chosen.hpp"
#include "roundtrip/roundtrip.hpp"

namespace whorl {

// After an error MPI, or a thread of ours, may still write to what it was given: then that stays for ever.
template <class Device, class Real> RoundTrip<Device, Real>::~RoundTrip() {
    if (under_way_ == 0) return;
    auto given = std::tuple(std::move(exchanges_), std::move(make_transport_), std::move(mirrors_),
                            std::move(pencil_buffer_), std::move(plane_buffer_), std::move(row_y_buffer_),
                            std::move(row_x_buffer_));
    new (std::nothrow) auto(std::move(given));
}

template <class Device, class Real>
typename RoundTrip<Device, Real>::Exchange& RoundTrip<Device, Real>::exchange_of(Leg leg, int variables,
                                                                                 bool inwards) {
    WHORL_REQUIRE(under_way_ == 0, "an error left an exchange of this flow without an end, so that its "
                                   "buffers are in use: make a new flow, or restart from a checkpoint.");
    const auto known = exchanges_.find({leg, variables, inwards});
    if (known != exchanges_.end()) return known->second;
    Exchange made;
    const exchange::Watchdog::Scope watched(watchdog_, "set-up of an exchange", -1);
    const bool rows = leg == Leg::row;
    const exchange::Communicator& peers = rows ? row_ : column_;
    auto patterns =
        rows ? layout_.row_patterns(variables, inwards) : layout_.column_patterns(variables, inwards);
    for (const exchange::Pattern& pattern : patterns) {
        std::int64_t &bytes = made.bytes.emplace_back(0), &chunks = made.chunks.emplace_back(0);
        for (int peer = 0; peer < peers.size(); ++peer) {
            const std::int64_t count = pattern.send[static_cast<std::size_t>(peer)].count();
            if (peer == peers.rank() || count == 0) continue;
            bytes += wire_value_ * count;
            ++chunks;
        }
    }
    made.part = rows ? Part::row : Part::column;
    made.name = rows ? "row exchange" : "column exchange";
    made.transport = make_transport_(peers, std::move(patterns), variables, static_cast<int>(sizeof(Value)));
    auto& landing =
        rows ? (inwards ? row_x_buffer_ : row_y_buffer_) : (inwards ? plane_buffer_ : pencil_buffer_);
    made.transport->attach(landing.data(), landing.node());
    return exchanges_.insert_or_assign({leg, variables, inwards}, std::move(made)).first->second;
}

template <class Device, class Real>
typename RoundTrip<Device, Real>::Legs RoundTrip<Device, Real>::legs_of(int inputs, int products,
                                                                        int fluxes) {
    Legs legs;
    const auto wanted = [](int peers, int variables) { return peers > 1 && variables > 0; };
    if (wanted(layout_.grid.p_col, inputs)) legs.column_in = &exchange_of(Leg::column, inputs, true);
    if (wanted(layout_.grid.p_row, inputs)) legs.row_in = &exchange_of(Leg::row, inputs, true);
    if (wanted(layout_.grid.p_row, products)) legs.row_out = &exchange_of(Leg::row, products, false);
    if (wanted(layout_.grid.p_col, fluxes)) legs.column_out = &exchange_of(Leg::column, fluxes, false);
    return legs;
}

template <class Device, class Real>
void RoundTrip<Device, Real>::start(Exchange& exchange, int batch, Value* send, Value* receive) {
    Timers::Scope timed(exchange_timer_, exchange.part);
    const exchange::Watchdog::Scope watched(watchdog_, exchange.name, batch);
    device_.finish();
    throw_if(failure_);
    ++under_way_;
    exchange.transport->start(batch, send, receive);
    const auto at = static_cast<std::size_t>(batch),
               leg = static_cast<std::size_t>(exchange.part == Part::row);
    moved_[leg] += exchange.bytes[at];
    messages_[leg] += exchange.chunks[at] * exchange.transport->messages();
}

template <class Device, class Real> void RoundTrip<Device, Real>::wait(Exchange& exchange, int batch) {
    Timers::Scope timed(exchange_timer_, exchange.part);
    const exchange::Watchdog::Scope watched(watchdog_, exchange.name, batch);
    exchange.transport->wait(batch);
    --under_way_;
}

template <class Device, class Real>
void RoundTrip<Device, Real>::exchange_once(bool rows, int variables, bool inwards) {
    const int peers = rows ? layout_.grid.p_row : layout_.grid.p_col;
    const int most = rows ? layout_.row_variables : layout_.column_variables;
    WHORL_REQUIRE(peers > 1 && variables > 0 && variables <= most,
                  "an exchange is of 1 to " + std::to_string(most) +
                      " variables among more than one rank, not of " + std::to_string(variables) + " among " +
                      std::to_string(peers) + ".");
    Exchange& exchange = exchange_of(rows ? Leg::row : Leg::column, variables, inwards);
    Value* const modes_side = rows ? row_y_buffer_.data() : pencil_buffer_.data();
    Value* const points_side = rows ? row_x_buffer_.data() : plane_buffer_.data();
    for (int b = 0; b < layout_.batches; ++b) {
        start(exchange, b, inwards ? modes_side : points_side, inwards ? points_side : modes_side);
        wait(exchange, b);
    }
}

template <class Device, class Real> void RoundTrip<Device, Real>::progress() {
    for (auto& [leg, exchange] : exchanges_) {
        Timers::Scope timed(exchange_timer_, exchange.part);
        exchange.transport->progress();
    }
}

template <class Device, class Real>
std::array<double, 2> RoundTrip<Device, Real>::reduce_maxima(bool wanted) {
    std::array<double, 2> largest{0.0, 0.0};
    if (!wanted) return largest;
    if constexpr (Device::streams) maxima_.front() = device_.raised();
    const double spoilt = std::numeric_limits<double>::quiet_NaN();
    for (const auto& of_executor : maxima_)
        for (std::size_t m = 0; m < 2; ++m)
            largest[m] = larger(largest[m], std::isfinite(of_executor[m]) ? of_executor[m] : spoilt);
    {
        const exchange::Watchdog::Scope watched(watchdog_, "reduction behind the exchange",
                                                layout_.batches - 1);
        world_.maximum(largest);
    }
    return std::isnan(larger(largest[0], largest[1])) ? std::array{spoilt, spoilt} : largest;
}

template class RoundTrip<device::Chosen, float>;
template class RoundTrip<device::Chosen, double>;

} // namespace whorl

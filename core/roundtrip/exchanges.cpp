// Compiled once for each device.
#include "roundtrip/exchanges.hpp"

#include <new>

#include "base/error.hpp"
#include "device/chosen.hpp"
#include "roundtrip/executors.hpp"

namespace whorl {

template <class Device, class Real>
Exchanges<Device, Real>::Exchanges(const Layout& layout, const ExchangeOptions& options,
                                   const exchange::Communicator& world, Device& device,
                                   std::exception_ptr& failure)
    : layout_(layout), device_(device), failure_(failure), world_(world),
      row_(world.split(layout.column_index)), column_(world.split(layout.row_index)),
      wire_value_(options.transport.wire == "single" ? sizeof(Complex<float>) : sizeof(Value)),
      watchdog_(options.timeout, world.rank()) {
    make_buffers(exchange::traits_of(options.transport).shared);
    make_maker(options);
}

// After an error, MPI, a GPU or a thread of this process may still write to the buffers of an exchange under
// way: these are then never freed.
template <class Device, class Real> Exchanges<Device, Real>::~Exchanges() {
    if (under_way_ == 0) return;
    auto given =
        std::tuple(std::move(known_), std::move(make_transport_), std::move(stream_), std::move(staging_),
                   std::move(z_pencil_), std::move(y_pencil_), std::move(row_y_), std::move(row_x_));
    new (std::nothrow) auto(std::move(given));
}

template <class Device, class Real> void Exchanges<Device, Real>::make_buffers(bool shared) {
    const auto make = [&](std::int64_t size, int peers) {
        return exchange::Landing<Value, Memory>(world_, static_cast<std::size_t>(size), shared && peers > 1,
                                                device_.executors());
    };
    const auto& [p_row, p_col] = layout_.grid;
    z_pencil_ = make(layout_.z_pencil_size, p_col);
    if (p_col > 1) y_pencil_ = make(layout_.y_pencil_size, p_col);
    row_y_ = make(layout_.row_y_size, p_row);
    row_x_ = make(layout_.row_x_size, p_row);
}

template <class Device, class Real> void Exchanges<Device, Real>::make_maker(const ExchangeOptions& options) {
    const bool of_gpus = exchange::traits_of(options.transport).of_gpus;
    WHORL_REQUIRE(Memory::separate || !of_gpus,
                  "transport = \"" + options.transport.name +
                      "\" exchanges GPU memory: choose another transport, or a GPU as device.");
    if constexpr (Device::streams)
        if (of_gpus) stream_ = device_.side_stream();
    const bool separate = Memory::separate && world_.size() > 1;
    const bool directly = separate && exchange::moves_device_memory(options.transport, options.gpu_aware);
    make_transport_ = exchange::transport_maker(options.transport, stream_.get(), !directly);
    if (separate && !directly) make_staging();
    if (directly && !of_gpus) Memory::share();
}

template <class Device, class Real> void Exchanges<Device, Real>::make_staging() {
    if constexpr (Device::streams) {
        auto mirrors = std::make_unique<exchange::MirrorsOf<typename Device::HostSide>>();
        for (auto* buffer : {&z_pencil_, &y_pencil_, &row_y_, &row_x_})
            mirrors->add(buffer->data(), buffer->bytes());
        auto to_host = device_.side_stream(), from_host = device_.side_stream();
        staging_ =
            std::make_unique<exchange::Staging>(std::move(mirrors), std::move(to_host), std::move(from_host));
        make_transport_ = exchange::staged(*staging_, make_transport_);
    }
}

template <class Device, class Real>
Exchange<Complex<Real>>& Exchanges<Device, Real>::exchange_of(Leg leg, int variables, bool inwards) {
    WHORL_REQUIRE(under_way_ == 0,
                  "an error stopped an exchange of this flow before its end, so its "
                  "buffers are still in use: make a new flow, or restart from a checkpoint.");
    const auto known = known_.find({leg, variables, inwards});
    if (known != known_.end()) return known->second;
    const exchange::Watchdog::Scope watched(watchdog_, "set-up of an exchange", -1);
    return known_.insert_or_assign({leg, variables, inwards}, made(leg, variables, inwards)).first->second;
}

template <class Device, class Real>
Exchange<Complex<Real>> Exchanges<Device, Real>::made(Leg leg, int variables, bool inwards) {
    Exchange<Value> exchange;
    exchange.leg = leg;
    const bool rows = leg == Leg::row;
    const exchange::Communicator& peers = rows ? row_ : column_;
    auto patterns =
        rows ? layout_.row_patterns(variables, inwards) : layout_.column_patterns(variables, inwards);
    for (const exchange::Pattern& pattern : patterns) {
        std::int64_t &bytes = exchange.bytes.emplace_back(0), &chunks = exchange.chunks.emplace_back(0);
        for (int peer = 0; peer < peers.size(); ++peer) {
            const std::int64_t count = pattern.send[static_cast<std::size_t>(peer)].count();
            if (peer == peers.rank() || count == 0) continue;
            bytes += wire_value_ * count;
            ++chunks;
        }
    }
    exchange.transport =
        make_transport_(peers, std::move(patterns), variables, static_cast<int>(sizeof(Value)));
    auto& of_modes = rows ? row_y_ : z_pencil_;
    auto& of_points = rows ? row_x_ : y_pencil_;
    auto& landing = inwards ? of_points : of_modes;
    exchange.transport->attach(landing.data(), landing.node());
    exchange.send = inwards ? of_modes.data() : of_points.data();
    exchange.receive = landing.data();
    return exchange;
}

template <class Device, class Real>
typename Exchanges<Device, Real>::Legs Exchanges<Device, Real>::legs(int inputs, int products, int fluxes) {
    Legs legs;
    const auto wanted = [](int peers, int variables) { return peers > 1 && variables > 0; };
    if (wanted(layout_.grid.p_col, inputs)) legs.column_in = &exchange_of(Leg::column, inputs, true);
    if (wanted(layout_.grid.p_row, inputs)) legs.row_in = &exchange_of(Leg::row, inputs, true);
    if (wanted(layout_.grid.p_row, products)) legs.row_out = &exchange_of(Leg::row, products, false);
    if (wanted(layout_.grid.p_col, fluxes)) legs.column_out = &exchange_of(Leg::column, fluxes, false);
    return legs;
}

template <class Device, class Real>
void Exchanges<Device, Real>::start(Exchange<Value>& exchange, int batch) {
    Timers::Scope timed(timer_, task_of(exchange.leg));
    const exchange::Watchdog::Scope watched(watchdog_, name_of(exchange.leg), batch);
    if (timer_.enabled || !on_stream(exchange)) device_.finish();
    throw_if(failure_);
    ++under_way_;
    exchange.transport->start(batch, exchange.send, exchange.receive);
    const auto at = static_cast<std::size_t>(batch), leg = static_cast<std::size_t>(exchange.leg);
    bytes_[leg] += exchange.bytes[at];
    messages_[leg] += exchange.chunks[at] * exchange.transport->messages();
}

template <class Device, class Real> void Exchanges<Device, Real>::wait(Exchange<Value>& exchange, int batch) {
    Timers::Scope timed(timer_, task_of(exchange.leg));
    const exchange::Watchdog::Scope watched(watchdog_, name_of(exchange.leg), batch);
    exchange.transport->wait(batch);
    if (!on_stream(exchange)) {
        --under_way_;
        return;
    }
    settle();
    late_ = &exchange;
    late_batch_ = batch;
    if (timer_.enabled) settle();
}

template <class Device, class Real> void Exchanges<Device, Real>::settle() {
    if (!late_) return;
    const exchange::Watchdog::Scope watched(watchdog_, name_of(late_->leg), late_batch_);
    late_->transport->settle(late_batch_);
    late_ = nullptr;
    --under_way_;
}

template <class Device, class Real> void Exchanges<Device, Real>::progress() {
    for (auto& [key, exchange] : known_) {
        Timers::Scope timed(timer_, task_of(exchange.leg));
        exchange.transport->progress();
    }
}

template <class Device, class Real> void Exchanges<Device, Real>::once(Leg leg, int variables, bool inwards) {
    const int peers = leg == Leg::row ? layout_.grid.p_row : layout_.grid.p_col;
    const int most = leg == Leg::row ? layout_.row_variables : layout_.column_variables;
    WHORL_REQUIRE(peers > 1 && variables > 0 && variables <= most,
                  "an exchange carries 1 to " + std::to_string(most) +
                      " variables among more than one rank, not of " + std::to_string(variables) + " among " +
                      std::to_string(peers) + ".");
    Exchange<Value>& exchange = exchange_of(leg, variables, inwards);
    for (int b = 0; b < layout_.batches; ++b) {
        start(exchange, b);
        wait(exchange, b);
    }
    settle();
}

template <class Device, class Real> void Exchanges<Device, Real>::reset(bool timed) {
    timer_.reset();
    timer_.enabled = timed;
    bytes_ = messages_ = {};
}

template <class Device, class Real>
std::map<std::string, std::int64_t> Exchanges<Device, Real>::memory() const {
    return {{"exchange", static_cast<std::int64_t>(z_pencil_.bytes() + y_pencil_.bytes())},
            {"row_buffers", static_cast<std::int64_t>(row_y_.bytes() + row_x_.bytes())}};
}

template class Exchanges<device::Chosen, float>;
template class Exchanges<device::Chosen, double>;

} // namespace whorl

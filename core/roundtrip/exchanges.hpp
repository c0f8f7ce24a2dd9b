// The exchanges of a round trip with other ranks, timed, watched and counted, and the buffers they send from
// and receive into (roundtrip/layout.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/complex.hpp"
#include "base/timer.hpp"
#include "exchange/communicator.hpp"
#include "exchange/node_memory.hpp"
#include "exchange/staged.hpp"
#include "exchange/transport.hpp"
#include "exchange/watchdog.hpp"
#include "roundtrip/layout.hpp"

namespace whorl {

struct ExchangeOptions {
    exchange::TransportOptions transport;
    std::string gpu_aware =
        "auto";           // whether MPI accepts device memory: "yes", "no" or "auto", as MPI reports
    double timeout = 0.0; // seconds; 0: none
};

// Columns are exchanged between z lines and y lines, rows between y lines and x lines.
enum class Leg { column, row };

// One leg in one direction, for a fixed number of variables.
template <class Value> struct Exchange {
    std::unique_ptr<exchange::Transport> transport;
    Leg leg;
    Value *send, *receive;
    std::vector<std::int64_t> bytes, chunks; // of each batch, to other ranks
};

template <class Device, class Real> class Exchanges {
  public:
    using Value = Complex<Real>;
    using Memory = typename Device::Memory;

    // An error that the device leaves in `failure` is thrown before an exchange starts.
    Exchanges(const Layout& layout, const ExchangeOptions& options, const exchange::Communicator& world,
              Device& device, std::exception_ptr& failure);
    ~Exchanges();
    Exchanges(const Exchanges&) = delete;
    Exchanges& operator=(const Exchanges&) = delete;

    // The z-pencil and the y-pencil, one buffer where p_col = 1; then the row buffers on the side of the y
    // lines and of the x lines.
    Value* z_pencil() { return z_pencil_.data(); }
    Value* y_pencil() { return layout_.grid.p_col > 1 ? y_pencil_.data() : z_pencil_.data(); }
    Value* row_y() { return row_y_.data(); }
    Value* row_x() { return row_x_.data(); }

    // The exchanges that a pass with these numbers of variables needs; null where nothing is exchanged.
    // Collective: an exchange is made when it is first asked for.
    struct Legs {
        Exchange<Value>*column_in = nullptr, *row_in = nullptr, *row_out = nullptr, *column_out = nullptr;
    };
    Legs legs(int inputs, int products, int fluxes);
    // Work that a device gets before start() and after wait() is ordered with the exchange, even where the
    // host waits for neither. wait() then returns when the exchange before has arrived, so that the device
    // has work while the host waits, and a hang is noticed one exchange late.
    void start(Exchange<Value>& exchange, int batch);
    void wait(Exchange<Value>& exchange, int batch);
    // Returns when the last exchange has arrived, too. Called before the host waits for the device by itself.
    void settle();
    // Lets the communication library progress the exchanges under way.
    void progress();
    // Runs one exchange, batch by batch, of the present contents of the buffers: for measurements.
    void once(Leg leg, int variables, bool inwards);

    exchange::Watchdog& watchdog() { return watchdog_; }
    // Timers of the thread that exchanges.
    Timers& timer() { return timer_; }
    const Timers& timer() const { return timer_; }
    void reset(bool timed);
    // Bytes and messages that this rank has sent to others since reset().
    std::map<std::string, std::int64_t> traffic() const { return by_leg(bytes_); }
    std::map<std::string, std::int64_t> messages() const { return by_leg(messages_); }
    std::map<std::string, std::int64_t> memory() const;

  private:
    using ByLeg = std::array<std::int64_t, 2>;
    static std::map<std::string, std::int64_t> by_leg(const ByLeg& of) {
        return {{"column", of[0]}, {"row", of[1]}};
    }
    static const char* name_of(Leg leg) { return leg == Leg::row ? "row exchange" : "column exchange"; }
    static Task task_of(Leg leg) { return leg == Leg::row ? Task::row : Task::column; }

    void make_buffers(bool shared);
    void make_maker(const ExchangeOptions& options);
    void make_staging();
    static bool on_stream(const Exchange<Value>& exchange) {
        return Device::streams && exchange.transport->on_stream();
    }
    Exchange<Value>& exchange_of(Leg leg, int variables, bool inwards);
    Exchange<Value> made(Leg leg, int variables, bool inwards);

    const Layout& layout_;
    Device& device_;
    std::exception_ptr& failure_;
    const exchange::Communicator& world_;
    exchange::Communicator row_, column_;
    std::int64_t wire_value_;                    // bytes of a complex number in a message
    std::unique_ptr<device::SideStream> stream_; // for messages between GPUs
    std::unique_ptr<exchange::Staging> staging_; // of the buffers below, for messages through the host
    exchange::Maker make_transport_;
    exchange::Watchdog watchdog_;
    exchange::Landing<Value, Memory> z_pencil_, y_pencil_, row_y_, row_x_;
    std::map<std::tuple<Leg, int, bool>, Exchange<Value>> known_;
    ByLeg bytes_{}, messages_{};
    int under_way_ = 0;               // exchanges started and not yet there
    Exchange<Value>* late_ = nullptr; // the one that was waited for and may not be there, with its batch
    int late_batch_ = 0;
    Timers timer_;
};

} // namespace whorl

// Messages pass through the memory of the host if MPI cannot access that of the device. Copies run during the
// device's work, on a stream for each direction. The host waits only for the copies that it needs next.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "device/buffer.hpp"
#include "device/side_stream.hpp"
#include "exchange/transport.hpp"

namespace whorl::exchange {

// Copies on the host of the buffers of a device.
class Mirrors {
  public:
    virtual ~Mirrors() = default;
    // Host memory of the same size as this buffer of the device.
    virtual void* of(const void* buffer) = 0;
};

template <class HostSide> class MirrorsOf final : public Mirrors {
  public:
    // Adds a buffer that is sent from or received in; its mirror is allocated on first use.
    void add(const void* buffer, std::size_t bytes) { bytes_[buffer] = bytes; }
    void* of(const void* buffer) override {
        auto& mirror = mirrors_[buffer];
        if (mirror.size() == 0) mirror = device::Buffer<char, HostSide>(bytes_.at(buffer));
        return mirror.data();
    }

  private:
    std::map<const void*, std::size_t> bytes_;
    std::map<const void*, device::Buffer<char, HostSide>> mirrors_;
};

class Staged;

// The mirrors and streams that all staged exchanges of a rank share.
class Staging {
  public:
    Staging(std::unique_ptr<Mirrors> of_buffers, std::unique_ptr<device::SideStream> out,
            std::unique_ptr<device::SideStream> in)
        : mirrors(std::move(of_buffers)), to_host(std::move(out)), from_host(std::move(in)) {}

    const std::unique_ptr<Mirrors> mirrors;
    const std::unique_ptr<device::SideStream> to_host, from_host;

    // Batches are sent when the host waits for them or for later ones: on all ranks in the same order.
    void put_off(Staged& exchange, int batch) { put_off_.emplace_back(&exchange, batch); }
    void send_next();
    // The end of the copies from the mirror of a buffer, which nothing may be received in before.
    device::SideStream::Mark& read(const void* buffer) { return read_[buffer]; }

  private:
    std::deque<std::pair<Staged*, int>> put_off_;
    std::map<const void*, device::SideStream::Mark> read_;
};

// Makes transports that share `staging`, which must outlive them.
Maker staged(Staging& staging, const Maker& make);

// Whether transports of these options move device memory directly. `gpu_aware` states whether MPI supports
// this: "yes", "no", or "auto", which queries the library. Throws Error for another value, and if these
// options cannot move device memory at all.
bool moves_device_memory(const TransportOptions& options, const std::string& gpu_aware);

} // namespace whorl::exchange

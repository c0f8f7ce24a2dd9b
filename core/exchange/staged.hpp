// Where MPI cannot reach a device's memory, what travels passes through the host's.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "device/buffer.hpp"
#include "exchange/transport.hpp"

namespace whorl::exchange {

// The host's side of buffers of a device.
class Mirrors {
  public:
    virtual ~Mirrors() = default;
    // As many bytes of the host's as the device's buffer there has.
    virtual void* of(const void* buffer) = 0;
    virtual void to_host(void* to, const void* from, std::size_t bytes) = 0;
    virtual void from_host(void* to, const void* from, std::size_t bytes) = 0;
};

template <class Memory, class HostSide> class MirrorsOf final : public Mirrors {
  public:
    // A buffer that may be sent from, or received in; its mirror is made when it is first asked for.
    void add(const void* buffer, std::size_t bytes) { bytes_[buffer] = bytes; }
    void* of(const void* buffer) override {
        auto& mirror = mirrors_[buffer];
        if (mirror.size() == 0) mirror = device::Buffer<char, HostSide>(bytes_.at(buffer));
        return mirror.data();
    }
    void to_host(void* to, const void* from, std::size_t bytes) override { Memory::to_host(to, from, bytes); }
    void from_host(void* to, const void* from, std::size_t bytes) override {
        Memory::from_host(to, from, bytes);
    }

  private:
    std::map<const void*, std::size_t> bytes_;
    std::map<const void*, device::Buffer<char, HostSide>> mirrors_;
};

// Transports of mirrors, which outlive them.
Maker staged(Mirrors& mirrors, const Maker& make);

// Do transports of these options move what is in a device's memory directly? `gpu_aware` says whether MPI
// takes it: "yes", "no", or "auto": as the library says of itself. Throws Error where it is another, and
// where these options cannot move it at all.
bool moves_device_memory(const TransportOptions& options, const std::string& gpu_aware);

} // namespace whorl::exchange

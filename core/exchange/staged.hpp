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
    std::size_t bytes() const {
        std::size_t sum = 0;
        for (const auto& [buffer, mirror] : mirrors_) sum += mirror.bytes();
        return sum;
    }

  private:
    std::map<const void*, std::size_t> bytes_;
    std::map<const void*, device::Buffer<char, HostSide>> mirrors_;
};

// Transports of mirrors, which outlive them.
Maker staged(Mirrors& mirrors, const Maker& make);

// Does MPI take a GPU's memory? `gpu_aware` is "yes", "no", or "auto": as the library says of itself.
// Throws Error where it is another.
bool takes_device_memory(const std::string& gpu_aware);

// Throws Error where these options cannot move what is in a device's memory, `directly` or through the
// host's.
void require_movable(const TransportOptions& options, bool directly);

} // namespace whorl::exchange

// Messages pass through the memory of the host if MPI cannot access that of the device.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "device/buffer.hpp"
#include "exchange/transport.hpp"

namespace whorl::exchange {

// Copies on the host of the buffers of a device.
class Mirrors {
  public:
    virtual ~Mirrors() = default;
    // Host memory of the same size as this buffer of the device.
    virtual void* of(const void* buffer) = 0;
    virtual void to_host(void* to, const void* from, std::size_t bytes) = 0;
    virtual void from_host(void* to, const void* from, std::size_t bytes) = 0;
};

template <class Memory, class HostSide> class MirrorsOf final : public Mirrors {
  public:
    // Adds a buffer that is sent from or received in; its mirror is allocated on first use.
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

// Makes transports that use the mirrors, which must outlive them.
Maker staged(Mirrors& mirrors, const Maker& make);

// Whether transports of these options move device memory directly. `gpu_aware` states whether MPI supports
// this: "yes", "no", or "auto", which queries the library. Throws Error for another value, and if these
// options cannot move device memory at all.
bool moves_device_memory(const TransportOptions& options, const std::string& gpu_aware);

} // namespace whorl::exchange

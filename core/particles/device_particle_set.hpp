// The particles of a group in the memory of the flow's device, where they are moved and sampled. If this is
// not the host's memory, the host has a set of its own, which is updated when it is read. Identities change
// only on the host.
#pragma once

#include "device/buffer.hpp"
#include "particles/particle_set.hpp"

namespace whorl::particles {

// The arrays of a particle set, for kernels.
struct Held {
    std::array<ParticleSet::Registers, 2> variables{}; // position, velocity
    std::size_t registers = 1;
    double* kept = nullptr;
    const Identity* ids = nullptr;
};

// Makes room for `size` values, and a quarter more if the buffer has to grow.
template <class T, class Memory> void make_room(device::Buffer<T, Memory>& buffer, std::size_t size) {
    if (buffer.size() < size) buffer = device::Buffer<T, Memory>(size + size / 4);
}

template <class Memory> class DeviceParticleSet {
  public:
    DeviceParticleSet(int registers, int variables, int kept)
        : particles_(registers, variables, kept), stale_(particles_.vectors(), false) {}

    // Properties that the host's set and the device's share.
    std::size_t count() const { return particles_.count(); }
    std::size_t registers() const { return particles_.registers(); }
    std::size_t variables() const { return particles_.variables(); }
    std::size_t vectors() const { return particles_.vectors(); }
    std::span<const Identity> ids() const { return particles_.ids(); }

    // The host's set, which the caller may change.
    ParticleSet& on_host() {
        for (std::size_t n = 0; n < vectors(); ++n) fetch(n);
        changed_here_ = true;
        return particles_;
    }
    // Copies a vector [particle][axis] to the host.
    void read(std::size_t number, std::size_t variable, std::span<double> values) {
        const std::size_t n = number * variables() + variable;
        fetch(n);
        std::ranges::copy(particles_.vector(n), values.begin());
    }
    // The device's arrays. A caller that changes variables or kept vectors uses changed_there().
    Held there() {
        if constexpr (Memory::separate) bring();
        Held held;
        held.registers = registers();
        for (std::size_t v = 0; v < variables(); ++v)
            for (std::size_t r = 0; r < registers(); ++r) held.variables[v][r] = vector(r * variables() + v);
        held.kept = vector(vectors() - 1);
        held.ids = Memory::separate ? ids_.data() : particles_.ids().data();
        return held;
    }
    Held changed_there() {
        const Held held = there();
        stale_.assign(vectors(), Memory::separate);
        return held;
    }

  private:
    ParticleSet particles_;
    std::vector<bool> stale_; // vectors of the host that the device has changed
    bool changed_here_ = true;
    std::vector<device::Buffer<double, Memory>> vectors_;
    device::Buffer<Identity, Memory> ids_;

    double* vector(std::size_t n) {
        return Memory::separate ? vectors_[n].data() : particles_.vector(n).data();
    }
    void fetch(std::size_t n) {
        if (!stale_[n]) return;
        Memory::to_host(particles_.vector(n).data(), vectors_[n].data(), 3 * count() * sizeof(double));
        stale_[n] = false;
    }
    void bring() {
        if (!changed_here_) return;
        vectors_.resize(vectors());
        for (std::size_t n = 0; n < vectors(); ++n) {
            make_room(vectors_[n], 3 * count());
            Memory::from_host(vectors_[n].data(), particles_.vector(n).data(), 3 * count() * sizeof(double));
        }
        make_room(ids_, count());
        Memory::from_host(ids_.data(), ids().data(), count() * sizeof(Identity));
        changed_here_ = false;
    }
};

} // namespace whorl::particles

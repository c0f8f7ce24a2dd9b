// The registry of kinds of particles, which are advanced on their own device.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/choice.hpp"
#include "particles/charged.hpp"
#include "particles/inertial.hpp"
#include "particles/molecular.hpp"
#include "particles/tracer.hpp"

namespace whorl::particles {

// A kind of particles on a device.
template <class Device> class Mover {
  public:
    virtual ~Mover() = default;
    virtual const Kind& kind() const = 0;
    // Advances particles by a stage, with inputs [particle][input] in the device's memory.
    virtual void advance(Device& device, const device::Cpu& host,
                         DeviceParticleSet<typename Device::Memory>& particle_set, const StageMade& made,
                         const double* inputs) = 0;
};

template <class Device, class Of> class MoverOf final : public Mover<Device> {
  public:
    explicit MoverOf(const KindOptions& options) : kind_(options) {}
    const Kind& kind() const override { return kind_; }
    void advance(Device& device, const device::Cpu& host,
                 DeviceParticleSet<typename Device::Memory>& particle_set, const StageMade& made,
                 const double* inputs) override {
        for_all(device, host, particle_set.count(), kind_.update(particle_set.changed_there(), made, inputs));
    }

  private:
    Of kind_;
};

template <class Device> using MakeMover = std::unique_ptr<Mover<Device>> (*)(const KindOptions&);
template <class Device, class Of> std::unique_ptr<Mover<Device>> make_mover_of(const KindOptions& options) {
    return std::make_unique<MoverOf<Device, Of>>(options);
}
template <class Device, class Of> std::pair<std::string, MakeMover<Device>> kind_entry() {
    return {Of::name, make_mover_of<Device, Of>};
}

// Throws Error with the list of kinds if none has this name, or if an option is missing.
template <class Device>
std::unique_ptr<Mover<Device>> make_mover(const std::string& name, const KindOptions& options) {
    const std::vector<std::pair<std::string, MakeMover<Device>>> kinds = {
        kind_entry<Device, Tracer>(),
        kind_entry<Device, Inertial>(),
        kind_entry<Device, Molecular>(),
        kind_entry<Device, Charged>(),
    };
    std::vector<std::string> names;
    for (const auto& [known, make_one] : kinds) {
        if (known == name) return make_one(options);
        names.push_back(known);
    }
    require_one_of("kind", name, names);
    return nullptr;
}

} // namespace whorl::particles

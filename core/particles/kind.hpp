// A kind of particles: the fields that are sampled at them, and the update of a stage. A new kind is a header
// with a class like Tracer, which kinds.hpp names.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "grid/box.hpp"
#include "particles/device_particle_set.hpp"
#include "particles/particle_set.hpp"
#include "steppers/companion.hpp"

namespace whorl::particles {

// The options of a group by name. Each is a number or a vector.
using Numbers = std::map<std::string, std::vector<double>>;

struct KindOptions {
    Numbers numbers;
    Box box;

    std::array<double, 3> vector(const std::string& name) const { return given<3>(name); }
    double number(const std::string& name) const { return given<1>(name)[0]; }

  private:
    template <std::size_t size> std::array<double, size> given(const std::string& name) const {
        const auto found = numbers.find(name);
        WHORL_REQUIRE(found != numbers.end() && found->second.size() == size,
                      "particles of this kind need " + name + ", of as many numbers as " +
                          std::to_string(size) + ".");
        std::array<double, size> values{};
        std::ranges::copy(found->second, values.begin());
        return values;
    }
};

class Kind {
  public:
    explicit Kind(const KindOptions& options) : drift_(options.vector("drift")), box_(options.box) {}
    virtual ~Kind() = default;

    // A uniform velocity that is added to that of the flow.
    const std::array<double, 3>& drift() const { return drift_; }
    // The number of fields that are sampled at each particle. The first three are the velocity of the flow.
    virtual int inputs() const { return 3; }
    // 1: the position; 2: the position and the velocity.
    virtual int variables() const { return 1; }
    // Vectors that a particle keeps within a step.
    virtual int kept() const { return 0; }
    // A kind also has update(held, made, inputs), which returns an object: a call with i advances particle i
    // by a stage, with inputs [particle][input]. The object is copied to the device of the particles
    // (kinds.hpp).

  protected:
    const Box& box() const { return box_; }

  private:
    std::array<double, 3> drift_;
    Box box_;
};

// A component of a particle's variable in all registers.
struct OfRegisters {
    ParticleSet::Registers arrays;
    std::size_t count;

    WHORL_ANYWHERE std::array<double, Stage::registers> get(std::size_t i) const {
        std::array<double, Stage::registers> r{};
        for (std::size_t j = 0; j < count; ++j) r[j] = arrays[j][i];
        return r;
    }
    WHORL_ANYWHERE void put(std::size_t i, const std::array<double, Stage::registers>& r) const {
        for (std::size_t j = 0; j < count; ++j) arrays[j][i] = r[j];
    }
};

// Reflects x at walls at 0 and `length`, as often as needed, until it is between them. Returns whether it is
// now a mirror image.
WHORL_ANYWHERE bool reflect(double& x, double length) {
    if (!(x < 0.0) && !(x > length)) return false;
    const double times = std::floor(x / length), beyond = x - times * length;
    const bool mirrored = std::fmod(times, 2.0) != 0.0;
    x = mirrored ? length - beyond : beyond;
    return mirrored;
}

} // namespace whorl::particles

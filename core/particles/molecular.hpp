// Particles that move with the flow and diffuse: dX = (u + U) dt + sqrt(2 D) dW, of which the noise is added
// at the end of a step. It is drawn from the seed, the identity of the particle and the number of the step,
// so that it depends on nothing else. Between walls a particle that has gone beyond one comes back as its
// mirror image; in a plane flow it stays in its plane.
#pragma once

#include "base/philox.hpp"
#include "particles/tracer.hpp"

namespace whorl::particles {

class Molecular final : public Tracer {
  public:
    static constexpr const char* name = "molecular";
    explicit Molecular(const KindOptions& options)
        : Tracer(options), diffusivity_(options.number("diffusivity")),
          key_(halves(static_cast<std::uint64_t>(options.number("seed")))) {
        key_[1] ^= of_particles;
    }

    void advance(const device::Cpu& host, Cloud& cloud, const StageMade& made,
                 std::span<const double> inputs) override {
        Tracer::advance(host, cloud, made, inputs);
        if (!made.stage.ends_step) return;
        const double spread = std::sqrt(2.0 * diffusivity_ * made.dt);
        double* const positions = cloud.of(0)[0];
        in_parts(host, cloud.count(), [&](std::size_t p) {
            const std::array<double, 3> drawn = normals_of(cloud.ids()[p], made.step);
            for (int axis = 0; axis < 3; ++axis) {
                double& x = positions[3 * p + static_cast<std::size_t>(axis)];
                if (box().flat(axis)) continue;
                x += spread * drawn[static_cast<std::size_t>(axis)];
                if (box().wall(axis)) reflect(x, box().lengths[static_cast<std::size_t>(axis)]);
            }
        });
    }

  private:
    // Other random numbers of a seed have other keys.
    static constexpr std::uint32_t of_particles = 0x50415254u;

    double diffusivity_;
    std::array<std::uint32_t, 2> key_;

    std::array<double, 3> normals_of(std::int64_t id, std::int64_t step) const {
        const auto [low, high] = halves(static_cast<std::uint64_t>(id));
        const auto [step_low, step_high] = halves(static_cast<std::uint64_t>(step));
        const PhiloxBlock words = philox({low, high, step_low, step_high}, key_);
        const std::array<double, 2> first = normals(words[0], words[1]), second = normals(words[2], words[3]);
        return {first[0], first[1], second[0]};
    }
};

} // namespace whorl::particles

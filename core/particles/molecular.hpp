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

    struct Update {
        Tracer::Update flow;
        bool ends_step;
        double spread;
        std::int64_t step;
        std::array<std::uint32_t, 2> key;
        const Identity* ids;
        Box box;

        WHORL_ANYWHERE void operator()(std::size_t p) const {
            flow(p);
            if (!ends_step) return;
            const std::array<double, 3> drawn = normals_of(ids[p]);
            for (std::size_t a = 0; a < 3; ++a) {
                double& x = flow.position.arrays[0][3 * p + a];
                if (box.points[a] == 1) continue;
                x += spread * drawn[a];
                if (box.walls[a]) reflect(x, box.lengths[a]);
            }
        }
        WHORL_ANYWHERE std::array<double, 3> normals_of(Identity id) const {
            const auto [step_low, step_high] = halves(static_cast<std::uint64_t>(step));
            const PhiloxBlock words = philox({id, 0u, step_low, step_high}, key);
            const std::array<double, 2> first = normals(words[0], words[1]),
                                        second = normals(words[2], words[3]);
            return {first[0], first[1], second[0]};
        }
    };
    Update update(const Held& held, const StageMade& made, const double* inputs) {
        return {Tracer::update(held, made, inputs),
                made.stage.ends_step,
                std::sqrt(2.0 * diffusivity_ * made.dt),
                made.step,
                key_,
                held.ids,
                box()};
    }

  private:
    // Other random numbers of a seed have other keys.
    static constexpr std::uint32_t of_particles = 0x50415254u;

    double diffusivity_;
    std::array<std::uint32_t, 2> key_;
};

} // namespace whorl::particles

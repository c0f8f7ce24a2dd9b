// Charged test particles of a conducting flow:
//
//   dX/dt = v,   dv/dt = alpha (E + v x B),   B = B0 + b,   E = -(u + U - d j) x B + eta j,   j = curl b,
//
// with d of the Hall term. u, b and j are sampled, and multiplied at the particle.
#pragma once

#include "particles/kind.hpp"

namespace whorl::particles {

class Charged final : public Kind {
  public:
    static constexpr const char* name = "charged";
    explicit Charged(const KindOptions& options)
        : Kind(options), charge_to_mass_(options.number("charge_to_mass")),
          mean_field_(options.vector("mean_field")), resistivity_(options.number("resistivity")),
          hall_(options.number("hall")) {}

    int inputs() const override { return 9; }
    int variables() const override { return 2; }

    struct Update {
        StageSum sum;
        OfRegisters position, velocity;
        std::array<double, 3> drift, mean_field;
        double charge_to_mass, resistivity, hall;
        const double* inputs;

        WHORL_ANYWHERE void operator()(std::size_t p) const {
            const double* const v_now = velocity.arrays[0] + 3 * p;
            const std::array<double, 3> v = {v_now[0], v_now[1], v_now[2]};
            const std::array<double, 3> rate = acceleration(inputs + 9 * p, v);
            for (std::size_t a = 0; a < 3; ++a) {
                auto x_all = position.get(3 * p + a), v_all = velocity.get(3 * p + a);
                sum(v[a], x_all);
                sum(rate[a], v_all);
                position.put(3 * p + a, x_all);
                velocity.put(3 * p + a, v_all);
            }
        }
        // E + v x B = (v - u - U + d j) x B + eta j, times alpha.
        WHORL_ANYWHERE std::array<double, 3> acceleration(const double* at,
                                                          const std::array<double, 3>& v) const {
            std::array<double, 3> across{}, B{}, rate{};
            for (std::size_t a = 0; a < 3; ++a) {
                across[a] = v[a] - (at[a] + drift[a]) + hall * at[6 + a];
                B[a] = mean_field[a] + at[3 + a];
            }
            for (std::size_t a = 0; a < 3; ++a) {
                const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
                const double force = across[b] * B[c] - across[c] * B[b] + resistivity * at[6 + a];
                rate[a] = charge_to_mass * force;
            }
            return rate;
        }
    };
    Update update(const Held& held, const StageMade& made, const double* inputs) {
        return {StageSum(made.stage, made.dt),
                {held.variables[0], held.registers},
                {held.variables[1], held.registers},
                drift(),
                mean_field_,
                charge_to_mass_,
                resistivity_,
                hall_,
                inputs};
    }

  private:
    double charge_to_mass_;
    std::array<double, 3> mean_field_;
    double resistivity_, hall_;
};

} // namespace whorl::particles

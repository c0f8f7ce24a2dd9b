// Particles that move with the flow: dX/dt = u(X, t) + U.
#pragma once

#include "particles/kind.hpp"

namespace whorl::particles {

class Tracer : public Kind {
  public:
    static constexpr const char* name = "tracer";
    using Kind::Kind;

    struct Update {
        StageSum sum;
        OfRegisters position;
        std::array<double, 3> drift;
        const double* inputs;

        WHORL_ANYWHERE void operator()(std::size_t p) const {
            for (std::size_t a = 0; a < 3; ++a) {
                const std::size_t i = 3 * p + a;
                auto x = position.get(i);
                sum(inputs[i] + drift[a], x);
                position.put(i, x);
            }
        }
    };
    Update update(const Held& held, const StageMade& made, const double* inputs) {
        return {StageSum(made.stage, made.dt), {held.variables[0], held.registers}, drift(), inputs};
    }
};

} // namespace whorl::particles

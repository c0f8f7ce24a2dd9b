// Particles that move with the flow: dX/dt = u(X, t) + U.
#pragma once

#include "particles/kind.hpp"

namespace whorl::particles {

class Tracer : public Kind {
  public:
    static constexpr const char* name = "tracer";
    using Kind::Kind;

    void advance(const device::Cpu& host, Cloud& cloud, const StageMade& made,
                 std::span<const double> inputs) override {
        const StageSum sum(made.stage, made.dt);
        const OfRegisters position{cloud.of(0), cloud.registers()};
        in_parts(host, inputs.size(), [&](std::size_t i) {
            auto x = position.get(i);
            sum(inputs[i] + drift()[i % 3], x);
            position.put(i, x);
        });
    }
};

} // namespace whorl::particles

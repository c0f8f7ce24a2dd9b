// Runge-Kutta schemes as tables. A stage takes the tendency f at register 0 and turns the registers r_i into
//
//   r_i <- exp(-rate advance dt) (sum_j m[i][j] r_j + v[i] dt f),
//
// which is the scheme applied to exp(rate t) a, carried back: the linear decay is exact (integrating factor).
// After the last stage register 0 is the new state.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace whorl {

struct Stage {
    static constexpr int registers = 3;
    std::array<std::array<double, registers>, registers> m{};
    std::array<double, registers> v{};
    double advance = 0.0; // of this stage's result over the stage before, in time steps

    // Bit i: register i is read, register i is written.
    int reads() const;
    int writes() const;
};

struct Scheme {
    std::string name;
    int order;
    int registers;
    std::vector<Stage> stages;
    std::string reference;
};

const std::vector<Scheme>& schemes();
// Throws Error listing the names.
const Scheme& find_scheme(const std::string& name);

} // namespace whorl

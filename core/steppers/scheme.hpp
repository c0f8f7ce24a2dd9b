// Time schemes as tables. A stage takes the tendency f at register 0 and turns the registers r_i into
//
//   r_i <- exp(-rate advance dt) (sum_j m[i][j] r_j + v[i] dt f),
//
// which is the scheme applied to exp(rate t) a, carried back: the linear decay is exact (integrating factor).
// After the last stage register 0 is the new state.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "grid/truncation.hpp"

namespace whorl {

struct Stage {
    static constexpr int registers = 3;
    std::array<std::array<double, registers>, registers> m{};
    std::array<double, registers> v{};
    double advance = 0.0;   // of this stage's result over the stage before, in time steps
    bool ends_step = false; // what it writes satisfies the model's constraints

    // Bit i: register i is read, register i is written.
    int reads() const;
    int writes() const;
};

struct Scheme {
    std::string name;
    int order;
    int registers;             // that stages read or write
    std::vector<Stage> stages; // of a multistep scheme those of its first step
    std::string reference;
    int earlier = 0; // steps a multistep scheme remembers (history.hpp)

    int right_hand_sides() const { return earlier > 0 ? 1 : static_cast<int>(stages.size()); }
    // Of the state, those of the stages and one for what comes between: the tendency on one of two grids, and
    // whatever is made of the state between two steps, for which other schemes have register 1.
    int all_registers(Dealias dealias) const {
        return registers + (earlier > 0 || dealias == Dealias::phase_shift_exact ? 1 : 0);
    }
};

const std::vector<Scheme>& schemes();
// Throws Error listing the names.
const Scheme& find_scheme(const std::string& name);

} // namespace whorl

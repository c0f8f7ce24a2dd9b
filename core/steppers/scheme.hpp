// Time schemes as tables. A stage takes the tendency f at register 0 and turns the registers r_i into
//
//   r_i <- exp(-rate advance dt) (sum_j m[i][j] r_j + v[i] dt f),
//
// which is the scheme applied to exp(rate t) a, carried back: the linear decay is exact (integrating factor).
// After the last stage register 0 is the new state. The tables are the caller's: whorl.config.schemes has
// those there are.
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

// Of a stage as it is given: the rows of m and the entries of v, as many as the scheme has registers.
struct StageTable {
    std::vector<std::vector<double>> m;
    std::vector<double> v;
    double advance = 0.0;
};

struct Scheme {
    std::string name;
    std::vector<Stage> stages; // of a multistep scheme those of its first step
    int earlier = 0;           // steps a multistep scheme remembers (history.hpp)

    Scheme() = default;
    // Throws Error where it has no stages, or more registers than there may be.
    Scheme(std::string name, const std::vector<StageTable>& tables, int earlier);

    // That stages read or write, or what is remembered takes; register 1 is there in any case, for what is
    // made of the state between two steps.
    int registers() const;
    // Of the state, those of the stages and one for what comes between: the tendency on one of two grids, and
    // whatever is made of the state between two steps, where register 1 remembers. Throws Error of no scheme.
    int all_registers(const Dealiasing& dealiasing) const;
};

} // namespace whorl

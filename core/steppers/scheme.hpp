// Time schemes as tables. A stage takes the tendency f at register 0 and turns the registers r_i into
//
//   r_i <- exp(-rate advance dt) (sum_j m[i][j] r_j + v[i] dt f),
//
// which is the scheme applied to exp(rate t) a, carried back: the linear decay is exact (integrating factor).
// A stage of exponential time differencing (Cox and Matthews, J. Comput. Phys. 176, 430 (2002)) integrates f
// along with the decay: with z_i = rate reach[i] dt and the functions phi_p of base/exponential.hpp,
//
//   r_i <- exp(-z_i) sum_j (m[i][j] - plain[i][j]) r_j + sum_j plain[i][j] r_j
//          + dt f sum_p phi[i][p] phi_p(-z_i),
//
// which without decay is the stage of m and v, v[i] = sum_p phi[i][p] / p!.
// After the last stage register 0 is the new state. The caller gives the tables (whorl.config.schemes).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/macros.hpp"
#include "grid/truncation.hpp"

namespace whorl {

struct Stage {
    static constexpr int registers = 3;
    using Square = std::array<std::array<double, registers>, registers>;
    Square m{};
    std::array<double, registers> v{};
    double advance = 0.0;     // time from the stage before to this stage's result, in time steps
    bool ends_step = false;   // its result is made to satisfy the model's constraints
    bool exponential = false; // the decay is integrated along with f
    Square plain{}, phi{};    // phi[i][p - 1] for phi_p
    std::array<double, registers> reach{};

    // Bit i: register i is read, register i is written.
    int reads() const;
    int writes() const;
};

// The table of a stage: m and v have as many rows and entries as the scheme has registers, and so have plain,
// phi and reach, which are empty but for exponential time differencing.
struct StageTable {
    std::vector<std::vector<double>> m;
    std::vector<double> v;
    double advance = 0.0;
    std::vector<std::vector<double>> plain{}, phi{};
    std::vector<double> reach{};
};

// A stage of an equation dr/dt = rate that is not of a field: r_i <- factor (sum_j m[i][j] r_j + v[i] dt
// rate), with a decay that is exact.
class StageSum {
  public:
    StageSum(const Stage& stage, double dt, double factor = 1.0)
        : stage_(stage), writes_(stage.writes()), dt_(dt), factor_(factor) {}

    WHORL_ANYWHERE void operator()(double rate, std::array<double, Stage::registers>& r) const {
        std::array<double, Stage::registers> next = r;
        for (std::size_t i = 0; i < next.size(); ++i) {
            if (!(writes_ >> i & 1)) continue;
            next[i] = stage_.v[i] * dt_ * rate;
            for (std::size_t j = 0; j < next.size(); ++j) next[i] += stage_.m[i][j] * r[j];
            next[i] *= factor_;
        }
        r = next;
    }

  private:
    Stage stage_;
    int writes_;
    double dt_, factor_;
};

// Linear forcing of all modes of a field, da/dt = ... + A(t) a, is a part of the integrating factor,
//
//   exp(s - rate t) with ds/dt = A,
//
// since the scheme that advances s as one more equation has its order in s and in exp(-s) a alike. A stage
// carries the registers that it writes along by exp(s' - s), as it does for the decay. Since s may change in
// a stage that takes no time, the other registers lag.
struct Growth {
    double rate = 0.0; // A at the present state
    std::array<double, Stage::registers> exponents{}, lags{};

    // s' - s of a stage that makes a state.
    double over(const Stage& stage, double dt) const;
    void advance(const Stage& stage, double dt);
    void add(const Growth& other);
};

struct Scheme {
    std::string name;
    std::vector<Stage> stages; // for a multistep scheme, those of its first step
    int earlier = 0;           // steps a multistep scheme remembers (History)
    bool estimates = false;    // the error of a step is in the last register after it

    Scheme() = default;
    // Throws Error without stages, or if a table has more registers than Stage.
    Scheme(std::string name, const std::vector<StageTable>& tables, int earlier, bool estimates = false);

    bool exponential() const;

    // The registers that stages read or write, or that keep earlier steps, and always register 1, for work
    // between two steps.
    int registers() const;
    // All registers: registers() and, where needed, one for the tendency on one of two grids, or for work
    // between two steps if register 1 keeps an earlier step. Throws Error if the scheme has no stages.
    int all_registers(const Dealiasing& dealiasing) const;
};

// The earlier steps of a multistep scheme. Register j = 1, 2, … holds dt_j f_j of the j-th step before the
// present one, carried to the present by the exact factor. A step of Adams and Bashforth integrates the
// polynomial through f and the f_j, whose steps may be of any length (Hairer, Norsett and Wanner, Solving
// Ordinary Differential Equations I, section III.5), and then shifts the registers by one.
class History {
  public:
    explicit History(int longest) : longest_(longest) {}

    int longest() const { return longest_; }
    // The lengths of the steps remembered, the latest first.
    const std::vector<double>& steps() const { return steps_; }
    void set_steps(std::vector<double> steps) { steps_ = std::move(steps); }
    void forget() { steps_.clear(); }
    // Adds a step of dt, whose tendency is in register 1.
    void add(double dt);

    // Whether a step of dt uses the steps remembered: not the first step, nor one so much longer than the one
    // before that the polynomial through the past is no longer accurate, which starts the scheme again.
    bool serves(double dt) const;
    // The stage of a step of dt that uses them.
    Stage stage(double dt) const;

  private:
    int longest_;
    std::vector<double> steps_;
};

} // namespace whorl

// Small spheres with Stokes drag, added mass and gravity:
//
//   dX/dt = v,   dv/dt = (u + U - v) / tau + beta Du/Dt + (1 - beta) g = -v / tau + f.
//
// Du/Dt is sampled with u where beta is not zero.
//
// Y = X + tau v obeys dY/dt = tau f, which is not stiff: its stages are those of tracers. The stages of v
// have the factor exp(-t / tau), as those of fields have their decay (steppers/scheme.hpp), which is exact
// only for f = 0. So f_n, the value of f at the beginning of the step, is split off: v = w + z f_n, where z
// obeys
//
//   dz/dt = -z / tau + 1,   z(s) = tau (1 - exp(-s / tau)) at a time s after the beginning,
//
// and the stages are those of w, whose right-hand side f - f_n is small. Stages are linear, so they advance v
// itself, with the correction (z(s) - Z) f_n, where Z is z as the stages compute it. A constant f is exact
// for all schemes and steps, and the order is that of the scheme.
#pragma once

#include "particles/kind.hpp"

namespace whorl::particles {

class Inertial final : public Kind {
  public:
    static constexpr const char* name = "inertial";
    // A step of more than this times tau does not follow f.
    static constexpr double longest_step = 10.0;

    explicit Inertial(const KindOptions& options)
        : Kind(options), time_(options.number("response_time")), added_mass_(options.number("added_mass")),
          gravity_(options.vector("gravity")) {
        for (double& g : gravity_) g *= 1.0 - added_mass_;
    }

    int inputs() const override { return added_mass_ != 0.0 ? 6 : 3; }
    int variables() const override { return 2; }
    int kept() const override { return 1; }

    using Values = std::array<double, Stage::registers>;

    // The registers contain X and v instead of Y and v, in which a large tau v would round X away:
    //
    //   S = sum_j m[i][j] v_j + (weight of f) dt f,
    //   v_i <- exp(-h / tau) S,   X_i <- sum_j m[i][j] X_j + tau (1 - exp(-h / tau)) S.
    struct StageOfDrag {
        StageSum sum;
        double left, gone; // exp(-h / tau), tau (1 - exp(-h / tau))
        Values of_first;   // m[i][0]
        int writes;

        // `corrected` is tau times the correction, which register 0 of X contains and register 0 of v does
        // not.
        WHORL_ANYWHERE void advance(double f, double corrected, Values& x, Values& v) const {
            sum(0.0, x);
            sum(f, v);
            for (std::size_t j = 0; j < x.size(); ++j) {
                if (!(writes >> j & 1)) continue;
                x[j] += gone * v[j] + of_first[j] * corrected;
                v[j] *= left;
            }
        }
    };

    struct Update {
        StageOfDrag stage;
        OfRegisters position, velocity;
        double* at_start; // f
        bool begins_step, ends_step;
        double time, before, correction; // corrections of the stage before and of this one
        double added_mass;
        std::array<double, 3> drift, gravity; // gravity less the buoyancy
        Box box;
        const double* inputs;
        std::size_t each; // of them

        WHORL_ANYWHERE void operator()(std::size_t p) const {
            for (std::size_t a = 0; a < 3; ++a) {
                const std::size_t i = 3 * p + a;
                const double* const at = inputs + each * p;
                double f = (at[a] + drift[a]) / time + gravity[a];
                if (each > 3) f += added_mass * at[3 + a];
                if (begins_step) at_start[i] = f;
                auto x = position.get(i), v = velocity.get(i);
                v[0] -= before * at_start[i];
                stage.advance(f, time * before * at_start[i], x, v);
                v[0] += correction * at_start[i];
                x[0] -= time * correction * at_start[i];
                if (ends_step && box.walls[a] && reflect(x[0], box.lengths[a])) v[0] = -v[0];
                position.put(i, x);
                velocity.put(i, v);
            }
        }
    };
    Update update(const Held& held, const StageMade& made, const double* inputs) {
        WHORL_REQUIRE(made.dt <= longest_step * time_,
                      "a time step of " + shown(made.dt) + " is more than " + shown(longest_step) +
                          " response times of " + shown(time_) +
                          " of inertial particles, which then do not follow the flow; take shorter steps "
                          "(time.dt, or time.dt_max), a longer response_time, or tracers.");
        const double before = made.number == 0 ? 0.0 : correction_;
        find_correction(made);
        const double elapsed = made.stage.advance * made.dt;
        const StageOfDrag stage{StageSum(made.stage, made.dt),
                                std::exp(-elapsed / time_),
                                -time_ * std::expm1(-elapsed / time_),
                                {made.stage.m[0][0], made.stage.m[1][0], made.stage.m[2][0]},
                                made.stage.writes()};
        return {stage,
                {held.variables[0], held.registers},
                {held.variables[1], held.registers},
                held.kept,
                made.number == 0,
                made.stage.ends_step,
                time_,
                before,
                correction_,
                added_mass_,
                drift(),
                gravity_,
                box(),
                inputs,
                static_cast<std::size_t>(this->inputs())};
    }

  private:
    double time_, added_mass_;
    std::array<double, 3> gravity_; // less the buoyancy
    Values of_stages_{};            // z as the stages compute it
    double elapsed_ = 0.0, correction_ = 0.0;

    void find_correction(const StageMade& made) {
        if (made.number == 0) {
            elapsed_ = 0.0;
            of_stages_ = {};
            double since = 0.0;
            for (std::size_t j = 0; j < made.earlier.size() && j + 1 < of_stages_.size(); ++j) {
                since += made.earlier[j];
                of_stages_[j + 1] = made.earlier[j] * std::exp(-since / time_);
            }
        }
        elapsed_ += made.stage.advance * made.dt;
        const double factor = std::exp(-made.stage.advance * made.dt / time_);
        StageSum(made.stage, made.dt, factor)(1.0, of_stages_);
        correction_ = -time_ * std::expm1(-elapsed_ / time_) - of_stages_[0];
    }
};

} // namespace whorl::particles

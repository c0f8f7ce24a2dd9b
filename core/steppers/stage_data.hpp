// The data of a stage, whatever the model: its registers and coefficients, and how the step size is chosen.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "roundtrip/pass.hpp"
#include "steppers/column_energy.hpp"
#include "steppers/combination.hpp"
#include "steppers/scheme.hpp"
#include "steppers/time_step.hpp"

namespace whorl {

// The registers of a step and its present stage.
template <class Real> struct StageData {
    std::array<Fields<Real>, Stage::registers> registers{};
    Fields<Real> extra = nullptr; // added to `weight` of the tendency when `adds`
    bool adds = false;
    double weight = 1.0;
    std::int64_t modes = 0;
    Stage stage;
    const History* history = nullptr; // of a multistep scheme, whose stage follows from dt
    bool exact = false;               // linear coupling is in the factor
    double coupling_norm = 0.0;       // a bound on the linear coupling
    TimeStep* step = nullptr;
    const Growth* growth = nullptr; // of each field, on the host; null: no linear forcing of all modes
    bool grows_alike = false;       // all fields of the model do
    ColumnSums energy{};            // where a CPU sums the energy of the new state

    // The stage of only one field, number `first`.
    StageData of_field(int first) const {
        StageData own = *this;
        const std::int64_t offset = first * modes;
        for (Fields<Real>& field : own.registers)
            if (field) field += offset;
        if (extra) own.extra += offset;
        if (growth) own.growth += first;
        own.grows_alike = true;
        own.energy = energy.from(first);
        return own;
    }

    Stage at_present() const {
        return history && history->serves(step->dt) ? history->stage(step->dt) : stage;
    }
};

// The data of a pass that evaluates the tendency, all but the model.
template <class Real> struct TendencyData : StageData<Real> {
    int fields = 0;    // of the state
    double time = 0.0; // of the state
    // The diffusivity and the mean gradient of each passive scalar, on the host.
    const std::vector<std::array<double, 4>>* scalars = nullptr;
    const std::vector<PointTap<Real>*>* taps = nullptr; // roundtrip/pass.hpp
    bool measures = false;
    double wave_rate = 0.0; // added to the rate of advection for waves that are not integrated exactly
    Real inverse_spacing[3] = {};

    bool wants_maxima() const { return measures; }
    double rate(double largest) const { return largest + (this->exact ? 0.0 : wave_rate); }
    void begin_store(const std::array<double, 2>& largest) const {
        TimeStep& chosen = *this->step;
        if (measures && chosen.courant > 0.0 && std::isfinite(largest[0]))
            chosen.dt = chosen.longest(rate(largest[0]));
        require_moderate_growth();
    }

  private:
    // Throws Error if fields grow by more than e^80 in a stage. The factor holds that much in single
    // precision.
    void require_moderate_growth() const {
        const Stage now = this->at_present();
        for (int f = 0; this->growth && now.writes() & 1 && f < fields; ++f) {
            const Growth& of_field = this->growth[f];
            const double grown = of_field.over(now, this->step->dt);
            WHORL_REQUIRE(!(grown > 80.0), "forcing \"linear\" of rate " + shown(of_field.rate) +
                                               " makes a field grow by exp(" + shown(grown) +
                                               ") in a stage of a step of " + shown(this->step->dt) +
                                               "; choose a shorter step or a lower rate.");
        }
    }
};

} // namespace whorl

// The pass that evaluates a model's right-hand side and, in store(), advances the registers by one stage.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/error.hpp"
#include "models/passive_scalar.hpp"
#include "roundtrip/pass.hpp"
#include "roundtrip/point_tap.hpp"
#include "steppers/history.hpp"
#include "steppers/update.hpp"

namespace whorl {

// How dt is found: it is given, or the largest with the Courant number (Tendency::rate) `courant`.
struct TimeStep {
    double dt = 0.0;
    double courant = 0.0; // 0: dt as given
    double dt_max = 0.0;
    double time = 0.0; // at its beginning
    // The rate of advection that forces add within dt, or null.
    const std::function<double(double)>* push = nullptr;

    // The longest step with the Courant number, of a fluid of this rate of advection.
    double longest(double rate) const {
        const double free = rate > 0.0 ? std::min(courant / rate, dt_max) : dt_max;
        if (!push) return free;
        const auto is_short = [&](double trial) { return (rate + (*push)(trial)) * trial <= courant; };
        double most = free;
        if (!std::isfinite(most))
            for (most = 1.0; is_short(most) && std::isfinite(2.0 * most);) most *= 2.0;
        if (is_short(most)) return free;
        // To the last bit, so that it does not depend on dt_max.
        double least = 0.0, middle = 0.5 * most;
        while (least < middle && middle < most) {
            (is_short(middle) ? least : most) = middle;
            middle = 0.5 * (least + most);
        }
        return least > 0.0 ? least : most;
    }
};

// The registers of a step and the data of its present stage.
template <class Model, class Real> struct StageOf {
    Model model;
    std::array<Fields<Real>, Stage::registers> registers{};
    Fields<Real> context = nullptr;
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

    WHORL_INLINE void load(Mode<Real> mode, Complex<Real>* in) const {
        Complex<Real> a[Model::fields];
        unrolled<Model::fields>([&](auto f) { copy(registers[0][f * modes + mode.index], a[f]); });
        model.load(mode.k, a, in);
    }
    template <class Value> WHORL_INLINE void contract(Real kx, Real ky, const Value* p, Value* f) const {
        model.contract(kx, ky, p, f);
    }

    static constexpr Parity input_parity(int v)
        requires requires { Model::input_parities; }
    {
        return Model::input_parities[static_cast<std::size_t>(v)];
    }
    static constexpr Parity product_parity(int v)
        requires requires { Model::product_parities; }
    {
        return Model::product_parities[static_cast<std::size_t>(v)];
    }
    static constexpr FluxParity flux_parity(int v)
        requires requires { Model::flux_parities; }
    {
        return Model::flux_parities[static_cast<std::size_t>(v)];
    }

    // Calls f with the Update this stage needs.
    template <class F> void with_store(const F& f) const {
        if constexpr (Model::couples)
            if (exact) return f(update<true>());
        f(update<false>());
    }

    // In a stage fields grow by e^80 at most, which the factor holds in single precision.
    void require_moderate_growth(std::size_t fields) const {
        const Stage now = at_present();
        for (std::size_t f = 0; growth && now.writes() & 1 && f < fields; ++f) {
            const double grown = growth[f].over(now, step->dt);
            WHORL_REQUIRE(!(grown > 80.0), "forcing \"linear\" of rate " + shown(growth[f].rate) +
                                               " makes a field grow by exp(" + shown(grown) +
                                               ") in a stage of a step of " + shown(step->dt) +
                                               "; choose a shorter step or a lower rate.");
        }
    }

  private:
    Stage at_present() const {
        return history && history->serves(step->dt) ? history->stage(step->dt) : stage;
    }

    template <bool exactly> Update<Model, Real, exactly> update() const {
        const Stage now = at_present();
        const int also_read = Model::couples && !exactly ? 1 : 0;
        Update<Model, Real, exactly> update{model,
                                            Combination<Real>(now, registers, step->dt, also_read),
                                            registers[0],
                                            context,
                                            adds ? extra : nullptr,
                                            modes,
                                            static_cast<Real>(now.advance * step->dt),
                                            static_cast<Real>(weight),
                                            static_cast<Real>(coupling_norm),
                                            now.ends_step};
        if (growth) force_linearly(update, now);
        if (now.writes() & 1) update.energy = energy;
        return update;
    }

    template <bool exactly>
    void force_linearly(Update<Model, Real, exactly>& update, const Stage& now) const {
        update.forces_linearly = update.couples && !grows_alike;
        update.grows = !update.forces_linearly && now.writes() & 1;
        for (int f = 0; f < Model::fields; ++f) {
            const Growth& of_field = growth[f];
            const auto at = static_cast<std::size_t>(f);
            update.linear[at] = static_cast<Real>(of_field.rate);
            if (!update.grows) continue;
            update.growth[static_cast<std::size_t>(update.rate_of(f))] =
                static_cast<Real>(of_field.over(now, step->dt));
            for (std::size_t j = 0, r = 0; j < Stage::registers; ++j) {
                if (!(now.reads() >> j & 1)) continue;
                update.lags = update.lags || of_field.lags[j] != 0.0;
                update.carries[at][r++] = static_cast<Real>(std::exp(of_field.lags[j]));
            }
        }
    }
};

template <class Model, class Real> struct ScalarPart : StageOf<PassiveScalar<Model, Real>, Real> {
    using Scalar = PassiveScalar<Model, Real>;
    static constexpr int inputs = Scalar::inputs, products = Scalar::products, fluxes = Scalar::fluxes;
    static constexpr int heads = Scalar::heads;

    WHORL_INLINE void point(const Real* head, const Real* in, Real* out) const {
        this->model.point(head, in, out);
    }
};

// A model that can carry passive scalars.
template <class Model>
concept HasVelocity = requires(const Model& model) { model.drift(Wavenumber<double>{}); };

template <class Model, class Real> struct Tendency : StageOf<Model, Real> {
    static constexpr int inputs = Model::inputs, products = Model::products, fluxes = Model::fluxes,
                         maxima = 2;
    static_assert(has_rates_by_group<Model>(), "linear forcing makes all fields of a rate grow alike");

    // The diffusivity and the mean gradient of each passive scalar, on the host.
    const std::vector<std::array<double, 4>>* scalars = nullptr;
    const std::vector<PointTap<Real>*>* taps = nullptr; // roundtrip/pass.hpp
    bool measures = false;
    double wave_rate = 0.0; // added to the rate of advection for waves that are not integrated exactly
    Real inverse_spacing[3] = {};

    WHORL_INLINE void point(Point, const Real* in, Real* out) const { this->model.point(in, out); }
    WHORL_INLINE void measure(const Real* in, Real* values) const {
        this->model.measure(in, inverse_spacing, values);
    }

    bool wants_maxima() const { return measures; }
    double rate(double largest) const { return largest + (this->exact ? 0.0 : wave_rate); }
    void begin_store(const std::array<double, 2>& largest) const {
        TimeStep& chosen = *this->step;
        if (measures && chosen.courant > 0.0 && std::isfinite(largest[0]))
            chosen.dt = chosen.longest(rate(largest[0]));
        this->require_moderate_growth(Model::fields + (scalars ? scalars->size() : 0));
    }

    int parts() const
        requires HasVelocity<Model>
    {
        return static_cast<int>(scalars->size());
    }
    ScalarPart<Model, Real> part(int s) const
        requires HasVelocity<Model>
    {
        const std::array<double, 4>& given = (*scalars)[static_cast<std::size_t>(s)];
        const auto real = [&](std::size_t i) { return static_cast<Real>(given[i]); };
        const std::int64_t offset = (Model::fields + s) * this->modes;
        ScalarPart<Model, Real> part{{{this->model, real(0), {real(1), real(2), real(3)}},
                                      this->registers,
                                      this->registers[0],
                                      this->extra,
                                      this->adds,
                                      this->weight,
                                      this->modes,
                                      this->stage,
                                      this->history,
                                      this->exact,
                                      this->coupling_norm,
                                      this->step,
                                      this->growth ? this->growth + Model::fields + s : nullptr,
                                      true,
                                      this->energy.from(Model::fields + s)}};
        for (Fields<Real>& field : part.registers) field += offset;
        if (part.extra) part.extra += offset;
        return part;
    }
};

} // namespace whorl

// The pass that evaluates a model's right-hand side and, in store(), advances the registers by one stage.
#pragma once

#include <cmath>
#include <type_traits>

#include "models/declaration.hpp"
#include "models/passive_scalar.hpp"
#include "roundtrip/pass.hpp"
#include "steppers/stage_data.hpp"
#include "steppers/update.hpp"

namespace whorl {

// The stage of a model, or of a passive scalar: its data and the functions of a pass that follow from the
// model.
template <class Model, class Device, class Real, class Data = StageData<Real>> struct StageOf : Data {
    using Data::registers, Data::modes, Data::growth, Data::step;
    Model model;
    Fields<Real> context = nullptr; // of the flow that carries the model

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

    // Calls f with the Update of this stage. On a GPU it is compiled for exact and for explicit linear
    // coupling and for exponential time differencing, each with fewer registers.
    template <class F> void with_store(const F& f) const {
        if constexpr (!Device::streams)
            f(update(this->exact));
        else if (this->stage.exponential)
            f(update(Differencing()));
        else if constexpr (!Model::couples)
            f(update(std::false_type()));
        else if (this->exact)
            f(update(std::true_type()));
        else
            f(update(std::false_type()));
    }

  private:
    template <class Exact> [[gnu::noinline]] Update<Model, Real, Exact> update(Exact exactly) const {
        const Stage now = this->at_present();
        const int also_read = Model::couples && !exactly ? 1 : 0;
        Update<Model, Real, Exact> update{{model,
                                           Combination<Real>(now, registers, step->dt, also_read),
                                           {},
                                           registers[0],
                                           context,
                                           this->adds ? this->extra : nullptr,
                                           modes,
                                           static_cast<Real>(now.advance * step->dt),
                                           static_cast<Real>(this->weight),
                                           static_cast<Real>(this->coupling_norm),
                                           exactly,
                                           now.ends_step}};
        if constexpr (may_difference<Exact>) update.differences = Differences<Real>(now, step->dt);
        if (growth) force_linearly(update, now);
        if (now.writes() & 1) update.energy = this->energy;
        return update;
    }

    template <class Exact> void force_linearly(Update<Model, Real, Exact>& update, const Stage& now) const {
        update.forces_linearly = now.exponential || (update.couples() && !this->grows_alike);
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

template <class Flow, class Device, class Real>
struct ScalarPart : StageOf<PassiveScalar<Flow, Real>, Device, Real> {
    using Scalar = PassiveScalar<Flow, Real>;
    static constexpr int inputs = Scalar::inputs, products = Scalar::products, fluxes = Scalar::fluxes;
    static constexpr int heads = Scalar::heads;

    WHORL_INLINE void point(const Real* head, const Real* in, Real* out) const {
        this->model.point(head, in, out);
    }
};

template <class Model, class Device, class Real>
struct Tendency : StageOf<Model, Device, Real, TendencyData<Real>> {
    static constexpr int inputs = Model::inputs, products = Model::products, fluxes = Model::fluxes,
                         maxima = 2;
    static_assert(has_rates_by_group<Model>(), "linear forcing makes all fields of a rate grow alike");

    Tendency(const Model& of, const TendencyData<Real>& data) {
        static_cast<TendencyData<Real>&>(*this) = data;
        this->model = of;
    }

    WHORL_INLINE void point(Point, const Real* in, Real* out) const { this->model.point(in, out); }
    WHORL_INLINE void measure(const Real* in, Real* values) const {
        this->model.measure(in, this->inverse_spacing, values);
    }

    int parts() const
        requires HasVelocity<Model>
    {
        return static_cast<int>(this->scalars->size());
    }
    auto part(int s) const
        requires HasVelocity<Model>
    {
        const std::array<double, 4>& given = (*this->scalars)[static_cast<std::size_t>(s)];
        const auto real = [&](std::size_t i) { return static_cast<Real>(given[i]); };
        ScalarPart<CarrierOf<Model, Real>, Device, Real> part;
        static_cast<StageData<Real>&>(part) = this->of_field(Model::fields + s);
        part.model = {carrier_of<Model, Real>(this->model), real(0), {real(1), real(2), real(3)}};
        part.context = this->registers[0];
        return part;
    }
};

} // namespace whorl

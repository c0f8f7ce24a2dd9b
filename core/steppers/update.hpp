// The update of one mode by a stage:
//
//   da = weight (tendency + L a) (+ extra),
//   r_i <- exp(s' - s - rate elapsed) (sum_j m[i][j] carry_j r_j + v[i] dt da)
//
// L is a model's linear coupling, and s' - s the growth of a field by linear forcing of all modes (Growth),
// which is one for all fields of a rate.
// With `exact` L is not in da but in the factor, exp((L - rate) elapsed) (coupling.hpp), which is then
// computed in double; linear forcing of some of the coupled fields does not commute with it and is in da.
// A stage of exponential time differencing has a factor and a weight of da for each register (scheme.hpp);
// linear forcing is in da.
// On a GPU a thread does all of it for a mode (store). On a CPU a row of modes is updated in a few loops
// within the innermost cache (store_row). The loops of a model are compiled once for each model, and those
// of a stage do not depend on the model (combination.hpp).
#pragma once

#include <array>
#include <type_traits>

#include "base/exponential.hpp"
#include "base/unrolled.hpp"
#include "models/field.hpp"
#include "roundtrip/mode.hpp"
#include "steppers/column_energy.hpp"
#include "steppers/combination.hpp"
#include "steppers/coupling.hpp"

namespace whorl {

// The type with which a stage of exponential time differencing is compiled on a GPU. Its linear coupling is
// explicit.
struct Differencing {
    constexpr operator bool() const { return false; }
};

// Exact is bool on threads. On a GPU it is a constant of type std::bool_constant, or Differencing, so that a
// thread needs fewer registers.
template <class Exact>
inline constexpr bool may_difference = std::is_same_v<Exact, bool> || std::is_same_v<Exact, Differencing>;
struct NoDifferences {};

// The update of a mode: the data, and the functions that a GPU and a CPU share.
template <class Model, class Real, class Exact> struct ModeUpdate {
    static constexpr int fields = Model::fields, rates = Model::rates;
    static constexpr bool mean_grows = whorl::mean_grows<Model>;

    Model model;
    Combination<Real> combination;
    [[no_unique_address]] std::conditional_t<may_difference<Exact>, Differences<Real>, NoDifferences>
        differences;
    const Complex<Real>* state;   // of the model itself
    const Complex<Real>* context; // of the flow that carries the model
    const Complex<Real>* extra;   // null: nothing is added
    std::int64_t modes;
    Real elapsed, weight;
    Real norm; // of the linear coupling
    [[no_unique_address]] Exact exact;
    bool ends_step;
    bool grows = false;
    std::array<Real, rates> growth{}; // s' - s
    bool lags = false;
    std::array<Carry<Real>, fields> carries{};
    bool forces_linearly = false;
    std::array<Real, fields> linear{}; // of each field: A in da
    ColumnSums energy{};               // of the state that is stored, on a CPU

    WHORL_INLINE bool couples() const { return Model::couples && exact; }
    WHORL_INLINE bool is_differenced() const {
        if constexpr (may_difference<Exact>)
            return differences.any;
        else
            return false;
    }
    WHORL_INLINE bool changes() const { return grows || elapsed > Real(0); }

    WHORL_INLINE void store(Mode<Real> mode, const Complex<Real>* flux) const {
        constexpr int most = Combination<Real>::most;
        Complex<Real> da[fields], next[most][fields];
        if (couples())
            evaluate<true>(mode.k, mode.index, flux, da);
        else
            evaluate<false>(mode.k, mode.index, flux, da);
        if constexpr (std::is_same_v<Exact, Differencing>) return store_differenced(mode, da);
        unrolled<fields>([&](auto f) {
            const std::int64_t at = f * modes + mode.index;
            Complex<Real> r[most], of_field[most];
            if (extra) da[f] = weight * da[f] + extra[at];
            unrolled<most>([&](auto j) {
                if (j >= combination.reads) return;
                r[j] = combination.from[j][at];
                if (lags && grows_at(mode.k)) r[j] = carries[f][j] * r[j];
            });
            combination.at(combination, combination.m, r, da[f], of_field);
            unrolled<most>([&](auto i) {
                if (i < combination.writes) next[i][f] = of_field[i];
            });
        });
        Decay<Real> factor[rates];
        if (changes() && !couples()) find_factors(mode.k, grows_at(mode.k), factor);
        unrolled<most>([&](auto i) {
            if (i >= combination.writes) return;
            if (changes()) propagate(mode.k, factor, next[i]);
            if (ends_step) model.constrain(mode.k, next[i]);
            unrolled<fields>([&](auto f) { combination.to[i][f * modes + mode.index] = next[i][f]; });
        });
    }

    // Adds a force da to one mode that has been stored: to register i
    // exp(s' - s - rate elapsed) shares[i] da, or, where its share is not 0, the weight of the tendency times
    // da.
    WHORL_ANYWHERE void add(Wavenumber<Real> k, std::int64_t index, const Complex<Real>* da,
                            const Real* shares) const {
        constexpr int most = Combination<Real>::most;
        Decay<Real> factor[rates] = {};
        if (changes() && !couples() && !is_differenced()) find_factors(k, grows_at(k), factor);
        for (int i = 0; i < most; ++i) {
            if (i >= combination.writes || shares[i] == Real(0)) continue;
            Complex<Real> added[fields], sum[fields];
            unrolled<fields>([&](auto f) { added[f] = shares[i] * da[f]; });
            if (is_differenced())
                weigh(k, i, da, added);
            else if (changes())
                propagate(k, factor, added);
            unrolled<fields>([&](auto f) { sum[f] = combination.to[i][f * modes + index] + added[f]; });
            if (ends_step) model.constrain(k, sum);
            unrolled<fields>([&](auto f) { combination.to[i][f * modes + index] = sum[f]; });
        }
    }

    static constexpr int rate_of(int f) { return whorl::rate_of<Model>(f); }

  protected:
    template <bool exactly>
    WHORL_INLINE void evaluate(Wavenumber<Real> k, std::int64_t index, const Complex<Real>* flux,
                               Complex<Real>* da) const {
        constexpr int behind = [] {
            if constexpr (requires { Model::context; })
                return Model::context;
            else
                return 0;
        }();
        Complex<Real> a[fields + behind];
        unrolled<fields>([&](auto f) { copy(state[f * modes + index], a[f]); });
        unrolled<behind>([&](auto f) { copy(context[f * modes + index], a[fields + f]); });
        model.tendency(k, flux, a, da);
        if constexpr (Model::couples && !exactly) model.couple(k, a, da);
        if constexpr (Model::couples && exactly)
            if (forces_linearly && (mean_grows || square(k) > Real(0)))
                unrolled<fields>([&](auto f) { da[f] = da[f] + linear[f] * a[f]; });
    }

    WHORL_INLINE void store_differenced(Mode<Real> mode, Complex<Real>* da) const {
        constexpr int most = Combination<Real>::most;
        unrolled<fields>([&](auto f) {
            const std::int64_t at = f * modes + mode.index;
            if (extra) da[f] = weight * da[f] + extra[at];
            if (forces_linearly && (mean_grows || square(mode.k) > Real(0)))
                da[f] = da[f] + linear[f] * state[at];
        });
        Complex<Real> next[most][fields];
        for (int i = 0; i < combination.writes; ++i) {
            Differenced<Real> by[rates];
            find_differenced(mode.k, i, by);
            unrolled<fields>([&](auto f) {
                Complex<Real> r[most];
                unrolled<most>([&](auto j) {
                    if (j < combination.reads) r[j] = combination.from[j][f * modes + mode.index];
                });
                next[i][f] = differences.combined(combination, combination.m, i, by[rate_of(f)], r, da[f]);
            });
            if (ends_step) model.constrain(mode.k, next[i]);
        }
        for (int i = 0; i < combination.writes; ++i)
            unrolled<fields>([&](auto f) { combination.to[i][f * modes + mode.index] = next[i][f]; });
    }
    WHORL_INLINE void find_differenced(Wavenumber<Real> k, int i, Differenced<Real>* by) const {
        Real rate[rates];
        model.decay(k, rate);
        unrolled<rates>([&](auto q) { by[q] = differences.at(i, rate[q]); });
    }

    WHORL_INLINE void weigh(Wavenumber<Real> k, int i, const Complex<Real>* da, Complex<Real>* added) const {
        if constexpr (may_difference<Exact>) {
            Differenced<Real> by[rates];
            find_differenced(k, i, by);
            unrolled<fields>([&](auto f) { added[f] = by[rate_of(f)].weight * da[f]; });
        }
    }
    // A helper for the second condition costs registers: nvcc then spills in kernels of sm_90.
    WHORL_INLINE bool grows_at(Wavenumber<Real> k) const {
        return grows && (mean_grows || square(k) > Real(0));
    }

    WHORL_INLINE void find_factors(Wavenumber<Real> k, bool growing, Decay<Real>* factor) const {
        Real rate[rates];
        model.decay(k, rate);
        unrolled<rates>([&](auto q) {
            factor[q] = exponential_decay(rate[q] * elapsed - (growing ? growth[q] : Real(0)));
        });
    }

    WHORL_INLINE void propagate(Wavenumber<Real> k, const Decay<Real>* factor, Complex<Real>* a) const {
        if constexpr (Model::couples)
            if (exact) return propagate_coupled(k, a);
        unrolled<fields>([&](auto f) { a[f] = decayed(factor[rate_of(f)], a[f]); });
    }
    // If all fields have one rate, the factor has it; otherwise the series has the differences of the rates.
    WHORL_INLINE void propagate_coupled(Wavenumber<Real> k, Complex<Real>* a) const {
        Real narrow_rate[rates];
        double rate[rates];
        Complex<double> wide[fields];
        model.decay(k, narrow_rate);
        unrolled<rates>([&](auto q) { rate[q] = narrow_rate[q]; });
        unrolled<fields>([&](auto f) { wide[f] = widened(a[f]); });
        if constexpr (AdvancesItself<Model>)
            model.advance_coupling(widened(k), elapsed, wide);
        else
            advance_coupling<Real>(model, widened(k), rate, elapsed, norm, wide);
        const double grown = grows_at(k) ? growth[0] : Real(0);
        const Decay<double> factor =
            exponential_decay(rate[slowest_of<Model>(rate)] * double(elapsed) - grown);
        unrolled<fields>([&](auto f) { a[f] = narrowed<Real>(decayed(factor, wide[f])); });
    }
};

// Adds the update of a row of modes on a CPU, and no data.
template <class Model, class Real, class Exact> struct Update : ModeUpdate<Model, Real, Exact> {
    using Of = ModeUpdate<Model, Real, Exact>;
    using Of::carries, Of::elapsed, Of::ends_step, Of::energy, Of::forces_linearly, Of::lags, Of::linear;
    using Of::changes, Of::couples, Of::fields, Of::is_differenced, Of::mean_grows, Of::rate_of, Of::rates;
    using Of::combination, Of::differences, Of::exact, Of::extra, Of::growth, Of::grows, Of::model, Of::modes,
        Of::state, Of::weight;
    static constexpr int at_once = modes_at_once;

    // Fetches the registers of a row that is stored soon.
    void fetch_row(const ModeRow<Real>& row) const { whorl::fetch_row(combination, of_fields(row)); }

    // Flux v of mode i of the row is values.get(v, i).
    template <class Device, class Values>
    [[gnu::noinline]] void store_row(const ModeRow<Real>& whole, const Values& values) const {
        int most = 0;
        for (int first = 0; first < whole.length; first += most) {
            const bool knows_mean = grows || forces_linearly || energy.of_field;
            most = knows_mean && !mean_grows && first == 0 && whole.has_mean() ? 1 : at_once;
            const ModeRow<Real> row = whole.slice(first, most);
            Complex<Real> da[fields][at_once];
            if (couples())
                evaluate_row<true, Device>(row, first, values, da);
            else
                evaluate_row<false, Device>(row, first, values, da);
            advance_row<Device>(row, da);
        }
    }

    // The number of fields from f on that have one sum of their energy: the fields of one rate.
    static constexpr int summed_from(int f) {
        int count = 1;
        while (f + count < fields && rate_of(f + count) == rate_of(f)) ++count;
        return count;
    }

  private:
    using Of::find_differenced, Of::find_factors, Of::propagate_coupled;

    template <bool exactly, class Device, class Values>
    void evaluate_row(const ModeRow<Real>& row, int first, const Values& values,
                      Complex<Real> (*da)[at_once]) const {
        Device::run(row.length, [&](std::int64_t i) WHORL_INSIDE {
            Complex<Real> flux[Model::fluxes], of_mode[fields];
            unrolled<Model::fluxes>([&](auto v) { flux[v] = values.get(v, first + i); });
            Of::template evaluate<exactly>(row.k(i), row.index + i, flux, of_mode);
            unrolled<fields>([&](auto f) { copy(of_mode[f], da[f][i]); });
        });
    }
    template <class Device> void advance_row(const ModeRow<Real>& row, Complex<Real> (*da)[at_once]) const {
        FactorRow<Real, at_once> factors[rates];
        FactorsOf<Real> of_field[fields];
        for (int f = 0; f < fields; ++f) of_field[f] = {factors[rate_of(f)].whole, factors[rate_of(f)].rest};
        const bool multiplied = mean_grows || !row.has_mean(), growing = grows && multiplied;
        const Factored factored = couples() || is_differenced() ? Factored::not_at_all
                                  : elapsed > Real(0)           ? Factored::by_mode
                                  : growing                     ? Factored::alike
                                                                : Factored::not_at_all;
        if (extra) add_extra<Device>(row, da);
        // Linear terms are added after the tendencies of two grids are halved and added.
        if (forces_linearly && multiplied && !couples()) add_linear<Device>(row, da);
        if (factored == Factored::by_mode) find_factor_rows<Device>(row, growing, factors);
        if (factored == Factored::alike) find_growth(factors);
        // The new registers stay in the first cache until they are complete, and are written once.
        Complex<Real> next[Combination<Real>::most][fields][at_once];
        RowOfFields<Real> of_row = of_fields(row);
        of_row.stride = at_once;
        of_row.da = da[0];
        of_row.factored = factored;
        of_row.factors = of_field;
        of_row.carries = lags && multiplied ? carries.data() : nullptr;
        of_row.next = next[0][0];
        if (is_differenced())
            for (int i = 0; i < combination.writes; ++i) find_and_difference<Device>(row, i, of_row);
        else
            combine_row(combination, of_row);
        if constexpr (Model::couples)
            for (int i = 0; exact && changes() && i < combination.writes; ++i)
                propagate_row<Device>(row, next[i]);
        for (int i = 0; ends_step && i < combination.writes; ++i) constrain_row<Device>(row, next[i]);
        put_row(combination, of_row);
        if (energy.of_field && multiplied)
            for (int f = 0; f < fields; f += summed_from(f))
                add_energy(row, next[0][f], at_once, summed_from(f), energy.of_row(row, f));
    }

    RowOfFields<Real> of_fields(const ModeRow<Real>& row) const {
        return {row.index, modes, fields, row.length};
    }

    template <class Device> void add_extra(const ModeRow<Real>& row, Complex<Real> (*da)[at_once]) const {
        for (int f = 0; f < fields; ++f)
            Device::run(row.length, [&, own = da[f], more = extra + f * modes + row.index](std::int64_t i)
                                        WHORL_INSIDE { copy(weight * own[i] + more[i], own[i]); });
    }
    template <class Device> void add_linear(const ModeRow<Real>& row, Complex<Real> (*da)[at_once]) const {
        for (int f = 0; f < fields; ++f)
            Device::run(row.length, [own = da[f], a = state + f * modes + row.index,
                                     by = linear[static_cast<std::size_t>(f)]](std::int64_t i)
                                        WHORL_INSIDE { copy(own[i] + by * a[i], own[i]); });
    }
    // The i-th register that is written, in the first cache.
    template <class Device>
    void find_and_difference(const ModeRow<Real>& row, int i, RowOfFields<Real> of_row) const {
        FactorRow<Real, at_once> factors[rates];
        Real weights[rates][2 * at_once];
        DifferencedRow<Real> of_field[fields];
        for (int f = 0; f < fields; ++f)
            of_field[f] = {factors[rate_of(f)].whole, factors[rate_of(f)].rest, weights[rate_of(f)]};
        Device::run(row.length, [&](std::int64_t n) WHORL_INSIDE {
            Differenced<Real> by[rates];
            find_differenced(row.k(n), i, by);
            unrolled<rates>([&](auto q) {
                factors[q].whole[2 * n] = factors[q].whole[2 * n + 1] = by[q].factor.whole;
                factors[q].rest[2 * n] = factors[q].rest[2 * n + 1] = by[q].factor.rest;
                weights[q][2 * n] = weights[q][2 * n + 1] = by[q].weight;
            });
        });
        of_row.differenced = of_field;
        difference_row(combination, differences, i, of_row);
    }
    template <class Device>
    void find_factor_rows(const ModeRow<Real>& row, bool growing, FactorRow<Real, at_once>* factors) const {
        Device::run(row.length, [&](std::int64_t i) WHORL_INSIDE {
            Decay<Real> factor[rates];
            find_factors(row.k(i), growing, factor);
            unrolled<rates>([&](auto q) {
                factors[q].whole[2 * i] = factors[q].whole[2 * i + 1] = factor[q].whole;
                factors[q].rest[2 * i] = factors[q].rest[2 * i + 1] = factor[q].rest;
            });
        });
    }
    void find_growth(FactorRow<Real, at_once>* factors) const {
        for (std::size_t q = 0; q < growth.size(); ++q) {
            const Decay<Real> factor = exponential_decay(-growth[q]);
            factors[q].whole[0] = factor.whole;
            factors[q].rest[0] = factor.rest;
        }
    }
    template <class Device> void propagate_row(const ModeRow<Real>& row, Complex<Real> (*to)[at_once]) const {
        change_row<Device>(
            row, to, [&](Wavenumber<Real> k, Complex<Real>* a) WHORL_INSIDE { propagate_coupled(k, a); });
    }
    template <class Device> void constrain_row(const ModeRow<Real>& row, Complex<Real> (*to)[at_once]) const {
        change_row<Device>(row, to,
                           [&](Wavenumber<Real> k, Complex<Real>* a) WHORL_INSIDE { model.constrain(k, a); });
    }
    template <class Device, class Change>
    void change_row(const ModeRow<Real>& row, Complex<Real> (*to)[at_once], const Change& change) const {
        Device::run(row.length, [&](std::int64_t i) WHORL_INSIDE {
            Complex<Real> a[fields];
            unrolled<fields>([&](auto f) { copy(to[f][i], a[f]); });
            change(row.k(i), a);
            unrolled<fields>([&](auto f) { copy(a[f], to[f][i]); });
        });
    }
};

} // namespace whorl

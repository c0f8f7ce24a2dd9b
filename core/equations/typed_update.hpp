// The update of rows of modes by a stage of typed equations, on a CPU (steppers/update.hpp has the formula,
// and that of a compiled model). The numbers of components, terms and rates are known at run time.
#pragma once

#include "equations/block_rows.hpp"
#include "models/continuity.hpp"
#include "models/stress.hpp"
#include "steppers/column_energy.hpp"
#include "steppers/combination.hpp"

namespace whorl::equations {

template <class Device, class Real> class TypedUpdate {
    // Values of all components of some modes, which stay in the first cache.
    static constexpr int room = 768;
    static constexpr int most = Combination<Real>::most;

  public:
    TypedUpdate(const Tables<Real>& tables, const TendencyData<Real>& data, const Stage& now)
        : tables_(tables), combination_(now, data.registers, data.step->dt, reads_state(tables, data.exact)),
          differences_(now, data.step->dt), state_(data.registers[0]),
          extra_(data.adds ? data.extra : nullptr), modes_(data.modes),
          elapsed_(static_cast<Real>(now.advance * data.step->dt)), weight_(static_cast<Real>(data.weight)),
          exact_(data.exact && tables.couples()), ends_step_(now.ends_step),
          at_once_(std::min(modes_at_once, room / tables.components)), forcing_(tables, data, now, exact_) {
        if (now.writes() & 1) energy_ = data.energy;
    }

    void fetch_row(const ModeRow<Real>& row) const { whorl::fetch_row(combination_, of_fields(row)); }

    // Flux v of mode i of the row is values.get(v, i).
    template <class OnDevice, class Values>
    void store_row(const ModeRow<Real>& whole, const Values& values) const {
        int length = 0;
        for (int first = 0; first < whole.length; first += length) {
            const bool knows_mean = forcing_.grows || forcing_.explicitly || energy_.of_field;
            length = knows_mean && first == 0 && whole.has_mean() ? 1 : at_once_;
            const ModeRow<Real> row = whole.slice(first, length);
            Complex<Real> da[room];
            find_tendency(row, values.data + first, values.stride, da);
            advance_row(row, da);
        }
    }

    // Adds a force da[component] to one mode that has been stored (ModeUpdate::add).
    void add(const ModeRow<Real>& row, const Complex<Real>* da, const Real* shares) const {
        Real rates[most_components];
        const bool growing = forcing_.grows && square(row.k(0)) > Real(0);
        for (std::size_t f = 0; f < tables_.fields.size(); ++f)
            tables_.fields[f].template find_rates<Device>(row, rates + f);
        for (int i = 0; i < combination_.writes; ++i) {
            if (shares[i] == Real(0)) continue;
            Complex<Real> added[most_components];
            for (int c = 0; c < tables_.components; ++c) {
                const auto f = static_cast<std::size_t>(tables_.field_of[static_cast<std::size_t>(c)]);
                added[c] = shares[i] * da[c];
                if (differences_.any)
                    added[c] = differences_.at(i, rates[f]).weight * da[c];
                else if (changes() && !propagates(c))
                    added[c] = decayed(
                        exponential_decay(rates[f] * elapsed_ - (growing ? forcing_.growth[f] : Real(0))),
                        added[c]);
            }
            if (exact_ && changes() && !differences_.any) blocks().advance(row, {added, 1, 0, 1});
            Complex<Real> sum[most_components];
            for (int c = 0; c < tables_.components; ++c)
                sum[c] = combination_.to[i][c * modes_ + row.index] + added[c];
            if (ends_step_) constrain_row(row, sum, 1);
            for (int c = 0; c < tables_.components; ++c) combination_.to[i][c * modes_ + row.index] = sum[c];
        }
    }

  private:
    static int reads_state(const Tables<Real>& tables, bool exact) {
        return (tables.couples() && !exact) || !tables.varying.terms.empty() ? 1 : 0;
    }
    Blocks<Device, Real> blocks() const { return {tables_, forcing_, elapsed_}; }
    bool changes() const { return forcing_.grows || elapsed_ > Real(0); }
    // Whether a component is advanced with those of its block.
    bool propagates(int component) const {
        return exact_ && tables_.in_block[static_cast<std::size_t>(component)] != 0;
    }
    RowOfFields<Real> of_fields(const ModeRow<Real>& row) const {
        return {row.index, modes_, tables_.components, row.length};
    }

    // Flux v of the row begins at fluxes + v stride.
    void find_tendency(const ModeRow<Real>& row, const Complex<Real>* fluxes, std::int64_t stride,
                       Complex<Real>* da) const {
        const auto state = [&](int c) { return state_ + c * modes_ + row.index; };
        const bool explicitly = tables_.couples() && !exact_, compiled = tables_.code.tendency;
        if (compiled)
            run_compiled(row, fluxes, stride, explicitly, da);
        else
            sum_fluxes(row, [&](int v) { return fluxes + v * stride; }, da);
        for (int c = 0; row.has_mean() && c < tables_.components; ++c)
            da[c * at_once_] = da[c * at_once_] + tables_.sources[static_cast<std::size_t>(c)];
        for (int c = 0; explicitly && !compiled && c < tables_.components; ++c)
            tables_.coupling.template add<Device>(c, row, state, da + c * at_once_);
        for (int c = 0; c < tables_.components; ++c)
            tables_.varying.template add<Device>(c, row, state, da + c * at_once_);
    }
    void run_compiled(const ModeRow<Real>& row, const Complex<Real>* fluxes, std::int64_t stride,
                      bool explicitly, Complex<Real>* da) const {
        CompiledRow<Real> of = compiled_row(row);
        of.from = &fluxes->re;
        of.from_stride = stride;
        of.to = &da->re;
        of.to_stride = at_once_;
        of.state = explicitly ? &state_[row.index].re : nullptr;
        of.state_stride = modes_;
        tables_.code.tendency(&of);
    }
    template <class Flux>
    void sum_fluxes(const ModeRow<Real>& row, const Flux& flux, Complex<Real>* da) const {
        for (int c = 0; c < tables_.components; ++c) {
            Complex<Real>* const to = da + c * at_once_;
            Device::run(row.length, [=](std::int64_t i) { to[i] = {0, 0}; });
            tables_.tendency.template add<Device>(c, row, flux, to);
        }
        for (const FieldTable& field : tables_.fields)
            if (field.projected)
                change_row(field, row, da, at_once_,
                           [](Wavenumber<Real> k, Complex<Real>* a) WHORL_INSIDE { project(k, a); });
    }

    void advance_row(const ModeRow<Real>& row, Complex<Real>* da) const {
        const bool multiplied = !row.has_mean(), growing = forcing_.grows && multiplied;
        Real factors[4 * room];
        FactorsOf<Real> of_component[most_components];
        Complex<Real> next[most * room];
        RowOfFields<Real> of_row = of_fields(row);
        of_row.stride = at_once_;
        of_row.da = da;
        of_row.carries = forcing_.lags && multiplied ? forcing_.carries.data() : nullptr;
        of_row.next = next;
        if (extra_) add_rows(row, da, weight_, extra_, nullptr);
        if (forcing_.explicitly && multiplied) add_rows(row, da, Real(1), state_, forcing_.linear.data());
        if (differences_.any) {
            for (int i = 0; i < combination_.writes; ++i) difference(row, i, of_row);
        } else {
            if (elapsed_ > Real(0) || growing) {
                find_factors(row, growing, factors, of_component);
                of_row.factored = Factored::by_mode;
                of_row.factors = of_component;
            }
            combine_row(combination_, of_row);
            if (exact_ && changes())
                blocks().advance(row, {next, at_once_, register_of(next, 1) - next, combination_.writes});
        }
        for (int i = 0; ends_step_ && i < combination_.writes; ++i)
            constrain_row(row, register_of(next, i), at_once_);
        put_row(combination_, of_row);
        if (!energy_.of_field || !multiplied) return;
        for (const FieldTable& field : tables_.fields)
            add_energy(row, next + field.first * at_once_, at_once_, field.components,
                       energy_.of_row(row, field.first));
    }
    Complex<Real>* register_of(Complex<Real>* next, int i) const {
        return next + static_cast<std::int64_t>(i) * tables_.components * at_once_;
    }

    // da <- weight da + by more, of each component.
    void add_rows(const ModeRow<Real>& row, Complex<Real>* da, Real weight, const Complex<Real>* more,
                  const Real* by) const {
        for (int c = 0; c < tables_.components; ++c)
            Device::run(row.length, [weight, factor = by ? by[c] : Real(1), own = da + c * at_once_,
                                     other = more + c * modes_ + row.index](std::int64_t i)
                                        WHORL_INSIDE { copy(weight * own[i] + factor * other[i], own[i]); });
    }

    // The factors of each component at the modes of a row, each twice. A component of a block has none.
    void find_factors(const ModeRow<Real>& row, bool growing, Real* factors, FactorsOf<Real>* of) const {
        Real rates[modes_at_once];
        for (std::size_t f = 0; f < tables_.fields.size(); ++f) {
            const FieldTable& field = tables_.fields[f];
            Real* const whole = factors + 4LL * field.first * at_once_;
            Real* const rest = whole + 2LL * at_once_;
            field.template find_rates<Device>(row, rates);
            const Real grown = growing ? forcing_.growth[f] : Real(0);
            const Real acts = propagates(field.first) ? Real(0) : Real(1);
            Device::run(row.length, [&](std::int64_t i) WHORL_INSIDE {
                const Decay<Real> factor = exponential_decay(acts * (rates[i] * elapsed_ - grown));
                whole[2 * i] = whole[2 * i + 1] = factor.whole;
                rest[2 * i] = rest[2 * i + 1] = factor.rest;
            });
            for (int c = 0; c < field.components; ++c) of[field.first + c] = {whole, rest};
        }
    }
    // The i-th register that is written, by exponential time differencing.
    void difference(const ModeRow<Real>& row, int i, RowOfFields<Real> of_row) const {
        Real rates[modes_at_once], numbers[6 * room];
        DifferencedRow<Real> of[most_components];
        for (const FieldTable& field : tables_.fields) {
            Real* const whole = numbers + 6LL * field.first * at_once_;
            Real *const rest = whole + 2LL * at_once_, *const weights = rest + 2LL * at_once_;
            field.template find_rates<Device>(row, rates);
            Device::run(row.length, [&](std::int64_t n) WHORL_INSIDE {
                const Differenced<Real> by = differences_.at(i, rates[n]);
                whole[2 * n] = whole[2 * n + 1] = by.factor.whole;
                rest[2 * n] = rest[2 * n + 1] = by.factor.rest;
                weights[2 * n] = weights[2 * n + 1] = by.weight;
            });
            for (int c = 0; c < field.components; ++c) of[field.first + c] = {whole, rest, weights};
        }
        of_row.differenced = of;
        difference_row(combination_, differences_, i, of_row);
    }

    void constrain_row(const ModeRow<Real>& row, Complex<Real>* a, int stride) const {
        for (const FieldTable& field : tables_.fields)
            if (field.solenoidal)
                change_row(field, row, a, stride, [](Wavenumber<Real> k, Complex<Real>* of) WHORL_INSIDE {
                    close_continuity(k, of);
                });
    }
    template <class Change>
    void change_row(const FieldTable& field, const ModeRow<Real>& row, Complex<Real>* a, int stride,
                    const Change& change) const {
        Complex<Real>* const x = a + field.first * stride;
        Complex<Real>* const y = x + stride;
        Complex<Real>* const z = x + 2 * stride;
        if (field.components == 3)
            Device::run(row.length, [&](std::int64_t i) WHORL_INSIDE {
                Complex<Real> of[3] = {x[i], y[i], z[i]};
                change(row.k(i), of);
                copy(of[0], x[i]);
                copy(of[1], y[i]);
                copy(of[2], z[i]);
            });
        else
            Device::run(row.length, [&](std::int64_t i) WHORL_INSIDE {
                Complex<Real> of[3] = {x[i], y[i], {0, 0}};
                change(row.k(i), of);
                copy(of[0], x[i]);
                copy(of[1], y[i]);
            });
    }

    const Tables<Real>& tables_;
    Combination<Real> combination_;
    Differences<Real> differences_;
    const Complex<Real>* state_;
    const Complex<Real>* extra_;
    std::int64_t modes_;
    Real elapsed_, weight_;
    bool exact_, ends_step_;
    int at_once_;
    LinearForcing<Real> forcing_;
    ColumnSums energy_{};
};

} // namespace whorl::equations

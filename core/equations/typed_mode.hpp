// The update of one mode by a stage of typed equations, on a GPU: the counterpart of TypedUpdate
// (typed_update.hpp), which has rows of modes.
#pragma once

#include "equations/block.hpp"
#include "equations/linear_forcing.hpp"
#include "equations/mode_tables.hpp"
#include "models/continuity.hpp"
#include "models/stress.hpp"
#include "steppers/combination.hpp"
#include "steppers/stage_data.hpp"

namespace whorl::equations {

template <class Real> class TypedModeUpdate {
    static constexpr int most = Combination<Real>::most;

  public:
    TypedModeUpdate(const Tables<Real>& on_host, const TablesOnDevice<Real>& tables,
                    const TendencyData<Real>& data)
        : TypedModeUpdate(on_host, tables, data, data.at_present()) {}

    TypedModeUpdate(const Tables<Real>& on_host, const TablesOnDevice<Real>& tables,
                    const TendencyData<Real>& data, const Stage& now)
        : tables_(tables), code_(on_host.point_code()), combination_(now, data.registers, data.step->dt, 1),
          differences_(now, data.step->dt), state_(data.registers[0]),
          extra_(data.adds ? data.extra : nullptr), modes_(data.modes),
          elapsed_(static_cast<Real>(now.advance * data.step->dt)), weight_(static_cast<Real>(data.weight)),
          exact_(data.exact && tables.blocks > 0), ends_step_(now.ends_step),
          forcing_(on_host, data, now, exact_) {}

    // Stores a mode; flux v is values.get(v, i).
    template <class Values> WHORL_INLINE void store(Mode<Real> mode, const Values& values, int i) const {
        Complex<Real> da[most_components], next[most][most_components];
        find_tendency(mode, [&](int v) { return values.get(v, i); }, da);
        combine(mode, da, next);
        each_written([&](int w) {
            if (ends_step_) constrain(mode.k, next[w]);
            each_component([&](int c) { combination_.to[w][c * modes_ + mode.index] = next[w][c]; });
        });
    }

    // Adds a force da[component] to one mode that has been stored (ModeUpdate::add).
    WHORL_ANYWHERE void add(Wavenumber<Real> k, std::int64_t index, const Complex<Real>* da,
                            const Real* shares) const {
        for (int w = 0; w < combination_.writes; ++w) {
            if (shares[w] == Real(0)) continue;
            Complex<Real> added[most_components];
            each_component([&](int c) {
                added[c] = differences_.any
                               ? differences_.at(w, tables_.rate(tables_.field_of[c], k)).weight * da[c]
                               : shares[w] * da[c];
            });
            if (!differences_.any) propagate(k, added);
            each_component([&](int c) { added[c] = combination_.to[w][c * modes_ + index] + added[c]; });
            if (ends_step_) constrain(k, added);
            each_component([&](int c) { combination_.to[w][c * modes_ + index] = added[c]; });
        }
    }

  private:
    // Calls f with each number of a component, or of a register that is written: constants in a linked
    // kernel, so that arrays become registers.
    template <class F> WHORL_INLINE void each_component(const F& f) const { each(code_.components(), f); }
    template <class F> WHORL_INLINE void each_written(const F& f) const {
        each(PointCode<Real>::linked ? most : combination_.writes, [&](int w) {
            if (w < combination_.writes) f(w);
        });
    }
    template <class F> static WHORL_INLINE void each(int count, const F& f) {
#ifdef WHORL_LINKED
#pragma unroll
#endif
        for (int n = 0; n < count; ++n) f(n);
    }
    WHORL_INLINE bool changes() const { return forcing_.grows || elapsed_ > Real(0); }
    WHORL_INLINE bool is_exact() const { return exact_ && code_.widest_block() > 0; }
    static WHORL_INLINE bool is_mean(Wavenumber<Real> k) { return !(square(k) > Real(0)); }

    // da <- P n + L a + V a + s, where fields that are forced linearly gain that, too (plan.hpp).
    template <class Flux>
    WHORL_INLINE void find_tendency(Mode<Real> mode, const Flux& flux, Complex<Real>* da) const {
        const auto state = [&](int c) { return state_[c * modes_ + mode.index]; };
        const bool compiled = code_.has_tendency();
        if (compiled)
            run_compiled(mode, flux, da);
        else
            sum_fluxes(mode.k, flux, da);
        each_component([&](int c) {
            if (is_mean(mode.k)) da[c] = da[c] + tables_.sources[c];
            if (!is_exact() && !compiled) da[c] = da[c] + tables_.coupling.at(c, mode.k, state);
            da[c] = da[c] + tables_.varying.at(c, mode.k, state);
            if (extra_) da[c] = weight_ * da[c] + extra_[c * modes_ + mode.index];
            if (forcing_.explicitly && !is_mean(mode.k)) da[c] = da[c] + forcing_.linear[c] * state(c);
        });
    }
    template <class Flux>
    WHORL_INLINE void sum_fluxes(Wavenumber<Real> k, const Flux& flux, Complex<Real>* da) const {
        for (int c = 0; c < code_.components(); ++c) da[c] = tables_.tendency.at(c, k, flux);
        for (int f = 0; f < tables_.fields; ++f)
            if (tables_.field[f].projected) project_field(tables_.field[f], k, da);
    }
    template <class Flux>
    WHORL_INLINE void run_compiled(Mode<Real> mode, const Flux& flux, Complex<Real>* da) const {
        Complex<Real> from[most_at_run_time];
        each(code_.fluxes(), [&](int v) { from[v] = flux(v); });
        CompiledRow<Real> row{};
        row.length = 1;
        row.kx = &mode.k.x;
        row.ky = mode.k.y;
        row.kz = mode.k.z;
        row.from = &from[0].re;
        row.from_stride = row.to_stride = 1;
        row.to = &da[0].re;
        row.state = code_.widest_block() > 0 && !is_exact() ? &state_[mode.index].re : nullptr;
        row.state_stride = modes_;
        code_.tendency(row);
    }
    WHORL_INLINE void combine(Mode<Real> mode, const Complex<Real>* da,
                              Complex<Real> (*next)[most_components]) const {
        each_component([&](int c) {
            Complex<Real> r[most], of[most];
            unrolled<most>([&](auto j) {
                if (j >= combination_.reads) return;
                r[j] = combination_.from[j][c * modes_ + mode.index];
                if (forcing_.lags && !is_mean(mode.k)) r[j] = forcing_.carries[c][j] * r[j];
            });
            combination_.at(combination_, combination_.m, r, da[c], of);
            each_written([&](int w) {
                next[w][c] =
                    differences_.any
                        ? differences_.combined(combination_, combination_.m, w,
                                                differences_.at(w, tables_.rate(tables_.field_of[c], mode.k)),
                                                r, da[c])
                        : of[w];
            });
        });
        if (!differences_.any) each_written([&](int w) { propagate(mode.k, next[w]); });
    }

    // a <- exp((L - rate) elapsed + grown) a
    WHORL_INLINE void propagate(Wavenumber<Real> k, Complex<Real>* a) const {
        if (!changes()) return;
        const bool growing = forcing_.grows && !is_mean(k);
        each_component([&](int c) {
            const int f = tables_.field_of[c];
            if (is_exact() && tables_.in_block[c]) return;
            a[c] = decayed(
                exponential_decay(tables_.rate(f, k) * elapsed_ - (growing ? forcing_.growth[f] : Real(0))),
                a[c]);
        });
        for (int b = 0; is_exact() && b < tables_.blocks; ++b) propagate_block(b, k, growing, a);
    }
    WHORL_APART void propagate_block(int b, Wavenumber<Real> k, bool growing, Complex<Real>* a) const {
        const int* const components = tables_.in_blocks + tables_.block_begin[b];
        // In a linked kernel the code of wider blocks is left out.
        const int all = tables_.block_begin[b + 1] - tables_.block_begin[b], widest = code_.widest_block();
        const int count = all < widest ? all : widest;
        const SumsOnDevice<double>& terms = tables_.coupling_in_double;
        double rate[most_coupled];
        Complex<double> wide[1][most_coupled];
        for (int n = 0; n < count; ++n) {
            rate[n] = tables_.rate(tables_.field_of[components[n]], k);
            wide[0][n] = widened(a[components[n]]);
        }
        Block{terms.terms, terms.sources, terms.begin, components, count}.template advance_padded<Real>(
            widened(k), rate, elapsed_,
            growing ? static_cast<double>(forcing_.growth[tables_.field_of[components[0]]]) : 0.0, wide, 1);
        for (int n = 0; n < count; ++n) a[components[n]] = narrowed<Real>(wide[0][n]);
    }
    static WHORL_INLINE void project_field(const FieldOnDevice& field, Wavenumber<Real> k,
                                           Complex<Real>* da) {
        Complex<Real> whole[3] = {{0, 0}, {0, 0}, {0, 0}};
        for (int c = 0; c < field.components; ++c) whole[c] = da[field.first + c];
        project(k, whole);
        for (int c = 0; c < field.components; ++c) da[field.first + c] = whole[c];
    }
    WHORL_INLINE void constrain(Wavenumber<Real> k, Complex<Real>* a) const {
        each_component([&](int c) {
            if (const int count = code_.solenoidal_from(c)) close_continuity(k, count, a + c);
        });
    }

    TablesOnDevice<Real> tables_;
    PointCode<Real> code_;
    Combination<Real> combination_;
    Differences<Real> differences_;
    const Complex<Real>* state_;
    const Complex<Real>* extra_;
    std::int64_t modes_;
    Real elapsed_, weight_;
    bool exact_, ends_step_;
    LinearForcing<Real> forcing_;
};

} // namespace whorl::equations

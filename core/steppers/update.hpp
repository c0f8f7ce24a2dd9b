// What a stage does to one mode, with what is read, written and decayed known to the compiler:
//
//   da = share (tendency + L a) (+ extra),  r_i <- exp(-rate elapsed) (sum_j m[i][j] r_j + v[i] dt da)
//
// L is a model's linear coupling. With `exact` it leaves da and joins the factor, exp((L - rate) elapsed)
// (coupling.hpp).
#pragma once

#include <array>

#include "base/exponential.hpp"
#include "base/unrolled.hpp"
#include "roundtrip/mode.hpp"
#include "steppers/coupling.hpp"
#include "steppers/scheme.hpp"

namespace whorl {

// One field after another, `modes` complex numbers each.
template <class Real> using Fields = Complex<Real>*;

// Which registers a stage reads and writes (bits), and whether time passes in it: known to the compiler, so
// that a mode's registers cross memory once, or not.
template <int read_bits, int write_bits, bool time_passes> struct KnownPlan {
    WHORL_INLINE static constexpr bool reads(int j) { return read_bits >> j & 1; }
    WHORL_INLINE static constexpr bool writes(int i) { return write_bits >> i & 1; }
    WHORL_INLINE static constexpr bool decays() { return time_passes; }
    WHORL_INLINE static constexpr bool ends_step() { return write_bits == 1; }
};
struct AnyPlan {
    int read_bits, write_bits;
    bool time_passes;
    WHORL_INLINE bool reads(int j) const { return read_bits >> j & 1; }
    WHORL_INLINE bool writes(int i) const { return write_bits >> i & 1; }
    WHORL_INLINE bool decays() const { return time_passes; }
    WHORL_INLINE bool ends_step() const { return write_bits == 1; }
};

// Writing the state alone ends a step.
template <class Model, class Real, class Plan, bool adds, bool exact> struct Update {
    Model model;
    Plan plan;
    std::array<Fields<Real>, Stage::registers> registers;
    Fields<Real> context; // the state of the flow a model is carried by
    Fields<Real> extra;
    std::int64_t modes;
    Real m[Stage::registers][Stage::registers];
    Real v_dt[Stage::registers];
    Real elapsed, share;
    Real norm; // of the linear coupling

    WHORL_INLINE void store(Mode<Real> mode, const Complex<Real>* flux) const {
        constexpr int count = Stage::registers;
        Complex<Real> da[Model::fields], next[count][Model::fields];
        Real rate[Model::rates], factor[Model::rates];
        evaluate(mode, flux, da);
        if (plan.decays()) {
            model.decay(mode.k, rate);
            unrolled<Model::rates>([&](auto q) { factor[q] = exponential_decay(rate[q] * elapsed); });
        }
        unrolled<Model::fields>([&](auto f) {
            const std::int64_t at = f * modes + mode.index;
            if constexpr (adds) da[f] = share * da[f] + extra[at];
            unrolled<count>([&](auto i) {
                if (!plan.writes(i)) return;
                next[i][f] = v_dt[i] * da[f];
                unrolled<count>([&](auto j) {
                    if (plan.reads(j)) next[i][f] = next[i][f] + m[i][j] * registers[j][at];
                });
            });
        });
        unrolled<count>([&](auto i) {
            if (plan.decays() && plan.writes(i)) propagate(mode.k, rate, factor, next[i]);
        });
        if (plan.ends_step()) model.constrain(mode.k, next[0]);
        unrolled<count>([&](auto i) {
            if (plan.writes(i))
                unrolled<Model::fields>([&](auto f) { registers[i][f * modes + mode.index] = next[i][f]; });
        });
    }

    WHORL_INLINE void evaluate(Mode<Real> mode, const Complex<Real>* flux, Complex<Real>* da) const {
        constexpr int behind = [] {
            if constexpr (requires { Model::context; })
                return Model::context;
            else
                return 0;
        }();
        Complex<Real> state[Model::fields + behind];
        unrolled<Model::fields>([&](auto f) { state[f] = registers[0][f * modes + mode.index]; });
        unrolled<behind>([&](auto f) { state[Model::fields + f] = context[f * modes + mode.index]; });
        model.tendency(mode.k, flux, state, da);
        if constexpr (Model::couples && !exact) model.couple(mode.k, state, da);
    }

    // With one rate for all fields the factor is theirs; else the series holds what they differ by.
    WHORL_INLINE void propagate(Wavenumber<Real> k, const Real* rate, const Real* factor,
                                Complex<Real>* a) const {
        constexpr bool couples = Model::couples && exact;
        int slowest = 0;
        if constexpr (couples && AdvancesItself<Model, Real>) {
            model.advance_coupling(k, elapsed, a);
        } else if constexpr (couples) {
            slowest = slowest_of<Model>(rate);
            advance_coupling(model, k, rate, elapsed, norm, a);
        }
        unrolled<Model::fields>([&](auto f) {
            if constexpr (couples || Model::rates == 1)
                a[f] = factor[slowest] * a[f];
            else
                a[f] = factor[Model::rate_of(f)] * a[f];
        });
    }
};

} // namespace whorl

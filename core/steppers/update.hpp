// What a stage does to one mode, with what is read, written and decayed known to the compiler:
//
//   da = share (tendency + L a) (+ extra),  r_i <- exp(-rate elapsed) (sum_j m[i][j] r_j + v[i] dt da)
//
// L is a model's linear coupling. With `exact` it leaves da and joins the factor, exp((L - rate) elapsed),
// summed as a Taylor series of the operator in so many substeps that its terms fall fast.
#pragma once

#include <array>
#include <cmath>

#include "base/exponential.hpp"
#include "base/unrolled.hpp"
#include "roundtrip/mode.hpp"
#include "steppers/scheme.hpp"

namespace whorl {

// One field after another, `modes` complex numbers each.
template <class Real> using Fields = Complex<Real>*;

// The largest |L| elapsed of a substep, and how many terms leave an error below rounding there.
template <class Real> inline constexpr double longest_substep = 1.0;
template <class Real> inline constexpr int series_terms = sizeof(Real) == 8 ? 18 : 10;

template <class Real> int series_substeps(double norm, double elapsed) {
    return static_cast<int>(std::ceil(norm * elapsed / longest_substep<Real>));
}

// a <- exp((L - D) elapsed) a, D the rates less the first of them.
template <class Model, class Real>
WHORL_INLINE void advance_coupling(const Model& model, Wavenumber<Real> k, const Real* rate, Real elapsed,
                                   int substeps, Complex<Real>* a) {
    const Real h = elapsed / static_cast<Real>(substeps > 0 ? substeps : 1);
    for (int s = 0; s < substeps; ++s) {
        Complex<Real> term[Model::fields], next[Model::fields];
        unrolled<Model::fields>([&](auto f) { copy(a[f], term[f]); });
        unrolled<series_terms<Real>>([&](auto n) {
            const Real share = h / Real(n + 1);
            unrolled<Model::fields>([&](auto f) { next[f] = {0, 0}; });
            model.couple(k, term, next);
            unrolled<Model::fields>([&](auto f) {
                if constexpr (Model::rates > 1)
                    next[f] = next[f] - (rate[Model::rate_of(f)] - rate[0]) * term[f];
                copy(share * next[f], term[f]);
                a[f] = a[f] + term[f];
            });
        });
    }
}

// Bits of `reads` and `writes` are registers; writing the state alone ends a step.
template <class Model, class Real, int reads, int writes, bool decays, bool adds, bool exact> struct Update {
    Model model;
    std::array<Fields<Real>, Stage::registers> registers;
    Fields<Real> context; // the state of the flow a model is carried by
    Fields<Real> extra;
    std::int64_t modes;
    Real m[Stage::registers][Stage::registers];
    Real v_dt[Stage::registers];
    Real elapsed, share;
    int substeps;

    WHORL_INLINE void store(Mode<Real> mode, const Complex<Real>* flux) const {
        constexpr int count = Stage::registers;
        Complex<Real> da[Model::fields], next[count][Model::fields];
        Real rate[Model::rates], factor[Model::rates];
        evaluate(mode, flux, da);
        if constexpr (decays) {
            model.decay(mode.k, rate);
            unrolled<Model::rates>([&](auto q) { factor[q] = exponential_decay(rate[q] * elapsed); });
        }
        unrolled<Model::fields>([&](auto f) {
            const std::int64_t at = f * modes + mode.index;
            if constexpr (adds) da[f] = share * da[f] + extra[at];
            unrolled<count>([&](auto i) {
                if constexpr (writes >> i & 1) {
                    next[i][f] = v_dt[i] * da[f];
                    unrolled<count>([&](auto j) {
                        if constexpr (reads >> j & 1) next[i][f] = next[i][f] + m[i][j] * registers[j][at];
                    });
                }
            });
        });
        unrolled<count>([&](auto i) {
            if constexpr (decays && (writes >> i & 1)) propagate(mode.k, rate, factor, next[i]);
        });
        if constexpr (writes == 1) model.constrain(mode.k, next[0]);
        unrolled<count>([&](auto i) {
            if constexpr (writes >> i & 1)
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
        constexpr bool series = Model::couples && exact;
        if constexpr (series) advance_coupling(model, k, rate, elapsed, substeps, a);
        unrolled<Model::fields>([&](auto f) {
            if constexpr (series || Model::rates == 1)
                a[f] = factor[0] * a[f];
            else
                a[f] = factor[Model::rate_of(f)] * a[f];
        });
    }
};

} // namespace whorl

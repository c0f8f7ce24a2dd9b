// The pass that evaluates a model's right-hand side and, as it stores, advances the registers by one stage.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/exponential.hpp"
#include "base/unrolled.hpp"
#include "roundtrip/pass.hpp"
#include "steppers/scheme.hpp"

namespace whorl {

// One field after another, `modes` complex numbers each.
template <class Real> using Fields = Complex<Real>*;

// What a stage does to one mode, with what is read, written and decayed known to the compiler:
//   da = share tendency (+ extra),  r_i <- exp(-rate elapsed) (sum_j m[i][j] r_j + v[i] dt da)
// Bits of `reads` and `writes` are registers; writing the state alone ends a step.
template <class Model, class Real, int reads, int writes, bool decays, bool adds> struct Update {
    Model model;
    std::array<Fields<Real>, Stage::registers> registers;
    Fields<Real> extra;
    std::int64_t modes;
    Real m[Stage::registers][Stage::registers];
    Real v_dt[Stage::registers];
    Real elapsed, share;

    WHORL_INLINE void store(Mode<Real> mode, const Complex<Real>* flux) const {
        constexpr int count = Stage::registers;
        Complex<Real> state[Model::fields], da[Model::fields], next[count][Model::fields];
        Real rate[Model::rates], factor[Model::rates];
        unrolled<Model::fields>([&](auto f) { state[f] = registers[0][f * modes + mode.index]; });
        model.tendency(mode.k, flux, state, da);
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
                    if constexpr (decays) next[i][f] = factor[Model::rates == 1 ? 0 : f] * next[i][f];
                }
            });
        });
        if constexpr (writes == 1) model.constrain(mode.k, next[0]);
        unrolled<count>([&](auto i) {
            if constexpr (writes >> i & 1)
                unrolled<Model::fields>([&](auto f) { registers[i][f * modes + mode.index] = next[i][f]; });
        });
    }
};

// How dt is found: given, or the largest whose Courant number max(|u|/dx + |v|/dy + |w|/dz) dt is `courant`.
struct TimeStep {
    double dt = 0.0;
    double courant = 0.0; // 0: dt as given
    double dt_max = 0.0;
};

template <class Model, class Real> struct Tendency : PassDefaults<Real> {
    static constexpr int inputs = Model::inputs, products = Model::products, fluxes = Model::fluxes,
                         maxima = 2;

    Model model;
    std::array<Fields<Real>, Stage::registers> registers{};
    Fields<Real> extra = nullptr; // added to `share` of the tendency when `adds`
    bool adds = false;
    double share = 1.0;
    std::int64_t modes = 0;
    Stage stage;
    bool measures = false;
    TimeStep* step = nullptr;
    Real inverse_dx = 0, inverse_dy = 0, inverse_dz = 0;

    WHORL_INLINE void load(Mode<Real> mode, Complex<Real>* in) const {
        Complex<Real> a[Model::fields];
        unrolled<Model::fields>([&](auto f) { copy(registers[0][f * modes + mode.index], a[f]); });
        model.load(mode.k, a, in);
    }
    WHORL_INLINE void point(Point, const Real* in, Real* out) const { model.point(in, out); }
    // |u|/dx + |v|/dy + |w|/dz, which bounds dt, and |u|^2.
    WHORL_INLINE void measure(const Real* in, Real* values) const {
        const Real u = in[0], v = in[1], w = in[2];
        values[0] = absolute(u) * inverse_dx + absolute(v) * inverse_dy + absolute(w) * inverse_dz;
        values[1] = u * u + v * v + w * w;
    }
    WHORL_INLINE void contract(Real kx, Real ky, const Complex<Real>* p, Complex<Real>* f) const {
        model.contract(kx, ky, p, f);
    }

    bool wants_maxima() const { return measures; }
    void begin_store(const std::array<double, 2>& largest) const {
        if (measures && step->courant > 0.0 && std::isfinite(largest[0]))
            step->dt = largest[0] > 0.0 ? std::min(step->courant / largest[0], step->dt_max) : step->dt_max;
    }

    // Calls f with the Update this stage needs: one line for each kind the schemes use.
    template <class F> void with_store(const F& f) const {
        const int kind = stage.reads() * 8 + stage.writes();
        const bool decays = stage.advance > 0.0;
        if (kind == 0 * 8 + 2 && !adds) return f(update<0, 2, false, false>());
        if (kind == 1 * 8 + 3 && decays) return choose<1, 3, true>(f);
        if (kind == 2 * 8 + 1 && !decays) return choose<2, 1, false>(f);
        if (kind == 3 * 8 + 3 && decays) return choose<3, 3, true>(f);
        if (kind == 3 * 8 + 3 && !decays) return choose<3, 3, false>(f);
        if (kind == 3 * 8 + 1 && decays) return choose<3, 1, true>(f);
        if (kind == 3 * 8 + 1 && !decays) return choose<3, 1, false>(f);
        if (kind == 1 * 8 + 7 && decays) return choose<1, 7, true>(f);
        if (kind == 6 * 8 + 5 && !decays) return choose<6, 5, false>(f);
        if (kind == 6 * 8 + 5 && decays) return choose<6, 5, true>(f);
        if (kind == 4 * 8 + 1 && !decays) return choose<4, 1, false>(f);
        throw Error("no update is compiled for a stage that reads " + std::to_string(stage.reads()) +
                    " and writes " + std::to_string(stage.writes()) +
                    ": add its line to Tendency::with_store.");
    }

  private:
    static WHORL_INLINE Real absolute(Real x) { return x < Real(0) ? -x : x; }

    template <int reads, int writes, bool decays, class F> void choose(const F& f) const {
        if (adds)
            f(update<reads, writes, decays, true>());
        else
            f(update<reads, writes, decays, false>());
    }
    template <int reads, int writes, bool decays, bool added> auto update() const {
        Update<Model, Real, reads, writes, decays, added> result{model, registers, extra, modes,
                                                                 {},    {},        0,     0};
        const double dt = step->dt;
        for (std::size_t i = 0; i < Stage::registers; ++i) {
            for (std::size_t j = 0; j < Stage::registers; ++j)
                result.m[i][j] = static_cast<Real>(stage.m[i][j]);
            result.v_dt[i] = static_cast<Real>(stage.v[i] * dt);
        }
        result.elapsed = static_cast<Real>(stage.advance * dt);
        result.share = static_cast<Real>(share);
        return result;
    }
};

} // namespace whorl

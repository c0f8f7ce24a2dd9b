// The combination of registers by a stage, the same for every model, field and mode:
//
//   r_i <- factor (sum_j m[i][j] carry_j r_j + v[i] da)
//
// with dt in v and the factor of decay and growth. Registers that lag the growth by linear forcing are
// carried along (Growth). A combination has only the registers that are read or written, in their order. A
// stage of exponential time differencing has a factor and a weight of da for each register (Differenced).
#pragma once

#include <array>
#include <cstdint>

#include "base/complex.hpp"
#include "base/exponential.hpp"
#include "base/unrolled.hpp"
#include "steppers/scheme.hpp"

namespace whorl {

// One field after another, `modes` complex numbers each.
template <class Real> using Fields = Complex<Real>*;

// The factor of each register that is read, which differs from 1 if it lags, and the coefficients m.
template <class Real> using Carry = std::array<Real, Stage::registers>;
template <class Real> using Coefficients = std::array<std::array<Real, Stage::registers>, Stage::registers>;

// The factor of a register's decaying part, and the factor of the tendency.
template <class Real> struct Differenced {
    Decay<Real> factor;
    Real weight;
};

template <class Real> struct Combination {
    static constexpr int most = Stage::registers;

    int reads = 0, writes = 0;
    const Complex<Real>* from[most] = {};
    Complex<Real>* to[most] = {};
    bool only_written[most] = {}; // the old contents of the register in `to` are not read
    Coefficients<Real> m{};
    Real v[most] = {};

    Combination() = default;
    // Bit i of `also_read` is set where the tendency is made from register i.
    Combination(const Stage& stage, const std::array<Fields<Real>, most>& registers, double dt,
                int also_read) {
        const auto at = [](int i) { return static_cast<std::size_t>(i); };
        const int read = stage.reads();
        for (int i = 0; i < most; ++i)
            if (read >> i & 1) from[reads++] = registers[at(i)];
        for (int i = 0; i < most; ++i) {
            if (!(stage.writes() >> i & 1)) continue;
            for (int j = 0, r = 0; j < most; ++j)
                if (read >> j & 1)
                    m[at(writes)][at(r++)] =
                        static_cast<Real>(stage.m[at(i)][at(j)] - stage.plain[at(i)][at(j)]);
            v[writes] = static_cast<Real>(stage.v[at(i)] * dt);
            only_written[writes] = !((read | also_read) >> i & 1);
            to[writes++] = registers[at(i)];
        }
    }

    // The coefficients of registers that are carried along.
    WHORL_INLINE Coefficients<Real> carried(const Carry<Real>& carry) const {
        Coefficients<Real> with = m;
        for (auto& of_register : with)
            for (std::size_t j = 0; j < carry.size(); ++j) of_register[j] = of_register[j] * carry[j];
        return with;
    }

    // next[i] from one value of each register. The numbers of registers are constants (Counts in
    // combination.cpp) or those of *this.
    template <class Counts, class Value>
    WHORL_INLINE void at(const Counts& counts, const Coefficients<Real>& with, const Value* r, Value da,
                         Value* next) const {
        unrolled<most>([&](auto i) {
            if (i >= counts.writes) return;
            next[i] = v[i] * da;
            unrolled<most>([&](auto j) {
                if (j < counts.reads) next[i] = next[i] + with[i][j] * r[j];
            });
        });
    }
};

// Further coefficients of a stage of exponential time differencing: `m` of the combination is then for the
// parts that decay.
template <class Real> struct Differences {
    static constexpr int most = Stage::registers;

    bool any = false;
    Coefficients<Real> plain{};                 // of the parts that do not decay
    double reach[most] = {}, phi[most][3] = {}; // with dt

    Differences() = default;
    Differences(const Stage& stage, double dt) : any(stage.exponential) {
        const int read = stage.reads(), written = stage.writes();
        for (std::size_t i = 0, w = 0; i < most; ++i) {
            if (!(written >> i & 1)) continue;
            for (std::size_t j = 0, r = 0; j < most; ++j)
                if (read >> j & 1) plain[w][r++] = static_cast<Real>(stage.plain[i][j]);
            reach[w] = stage.reach[i] * dt;
            for (std::size_t p = 0; p < 3; ++p) phi[w][p] = stage.phi[i][p] * dt;
            ++w;
        }
    }

    // The factors of the i-th register that is written, for a field that decays at this rate.
    WHORL_INLINE Differenced<Real> at(int i, Real rate) const {
        const double z = static_cast<double>(rate) * reach[i];
        const Phi functions = phi_functions(z);
        const double weight =
            phi[i][0] * functions.first + phi[i][1] * functions.second + phi[i][2] * functions.third;
        return {exponential_decay(static_cast<Real>(z)), static_cast<Real>(weight)};
    }
    // The i-th register that is written, from one value of each that is read, with m of the combination.
    template <class Counts, class Value>
    WHORL_INLINE Value combined(const Counts& counts, const Coefficients<Real>& m, int i,
                                const Differenced<Real>& by, const Value* r, Value da) const {
        const auto& decaying = m[static_cast<std::size_t>(i)];
        const auto& kept = plain[static_cast<std::size_t>(i)];
        Value next = by.weight * da;
        unrolled<most>([&](auto j) {
            if (j < counts.reads) next = next + decayed(by.factor, decaying[j] * r[j]) + kept[j] * r[j];
        });
        return next;
    }
};

// The factors of a row of modes (Decay), each twice: for the real and the imaginary part.
template <class Real, int modes> struct FactorRow {
    Real whole[2 * modes], rest[2 * modes];
};
template <class Real> struct FactorsOf {
    const Real* whole;
    const Real* rest;
};

// No factors, the same for all modes of a row, or one for each mode.
enum class Factored { not_at_all, alike, by_mode };

// The factors of each mode, twice: of the decaying part, and of the tendency (Differenced).
template <class Real> struct DifferencedRow {
    const Real* whole;
    const Real* rest;
    const Real* weight;
};

// A row of modes of all fields. Those of field f begin at first + f * modes in a register, at f * stride in
// the tendency, and for the i-th register that is written at (i * fields + f) * stride in `next`. Without
// carries no register lags.
template <class Real> struct RowOfFields {
    std::int64_t first, modes;
    int fields, length;
    int stride = 0;
    const Complex<Real>* da = nullptr;
    Factored factored = Factored::not_at_all;
    const FactorsOf<Real>* factors = nullptr;          // of each field
    const Carry<Real>* carries = nullptr;              // of each field
    const DifferencedRow<Real>* differenced = nullptr; // of each field
    Complex<Real>* next = nullptr;
};

// Functions for the host: fetch_row prefetches the registers of a row that is combined soon. combine_row
// combines them into `next`; difference_row does so for the i-th register that is written. put_row copies
// `next` into the registers.
template <class Real> void fetch_row(const Combination<Real>& of, const RowOfFields<Real>& row);
template <class Real> void combine_row(const Combination<Real>& of, const RowOfFields<Real>& row);
template <class Real>
void difference_row(const Combination<Real>& of, const Differences<Real>& by, int i,
                    const RowOfFields<Real>& row);
template <class Real> void put_row(const Combination<Real>& of, const RowOfFields<Real>& row);

} // namespace whorl

// The blocks of components that linear terms connect, at the modes of a row on a CPU. Those of one or two
// components are advanced in vectorised loops, larger ones mode by mode (block.hpp).
#pragma once

#include "device/cpu.hpp"
#include "equations/block.hpp"
#include "equations/linear_forcing.hpp"
#include "steppers/scheme.hpp"

namespace whorl::equations {

inline std::size_t at(int number) { return static_cast<std::size_t>(number); }

// Element (r, c) of a matrix at mode i of a row is (re[r][c][i], im[r][c][i]).
template <int n> struct MatrixRow {
    double re[n][n][modes_at_once], im[n][n][modes_at_once];

    WHORL_INLINE BlockModel<n> at(std::int64_t i) const {
        BlockModel<n> model;
        each_element([&](auto r, auto c) { model.matrix[r][c] = {re[r][c][i], im[r][c][i]}; });
        return model;
    }
    WHORL_INLINE void set(std::int64_t i, const BlockModel<n>& model) {
        each_element([&](auto r, auto c) {
            re[r][c][i] = model.matrix[r][c].re;
            im[r][c][i] = model.matrix[r][c].im;
        });
    }
    template <class F> static WHORL_INLINE void each_element(const F& f) {
        unrolled<n>([&](auto r) { unrolled<n>([&](auto c) { f(r, c); }); });
    }
};

// A block of n components, the numbers `components`, with the terms that connect them.
template <class Device, class Real, int n> struct BlockRow {
    const TermSums<double>& terms;
    const int* components;
    const ModeRow<Real>& row;

    // exp((L - rates) elapsed + grown) at the modes of the row; the rates of component c are rates[c].
    void find_factors(const Real (*rates)[modes_at_once], double elapsed, double grown,
                      MatrixRow<n>& to) const {
        Device::run(row.length, [&to](std::int64_t i) WHORL_INSIDE { to.set(i, BlockModel<n>{}); });
        for (int r = 0; r < n; ++r) {
            Device::run(row.length, [re = to.re[r][r], rate = rates[r]](std::int64_t i)
                                        WHORL_INSIDE { re[i] -= static_cast<double>(rate[i]); });
            for (int t = terms.begin[at(components[r])]; t < terms.begin[at(components[r] + 1)]; ++t)
                add(t, column_of(terms.sources[at(t)]), r, to);
        }
        Device::run(row.length, [&to, elapsed, grown](std::int64_t i)
                                    WHORL_INSIDE { to.set(i, exponential_of(to.at(i), elapsed, grown)); });
    }
    // a <- factors a; component c of mode i is at a[c][i].
    static void apply(const MatrixRow<n>& factors, int length, Complex<Real>* const* a) {
        Device::run(length, [&](std::int64_t i) WHORL_INSIDE {
            Complex<double> next[n] = {}, own[n];
            unrolled<n>([&](auto c) { own[c] = {a[c][i].re, a[c][i].im}; });
            factors.at(i).couple({}, own, next);
            unrolled<n>([&](auto c) { copy(narrowed<Real>(next[c]), a[c][i]); });
        });
    }

  private:
    int column_of(int source) const { return n == 1 || components[0] == source ? 0 : 1; }

    // Adds term number t to an element.
    void add(int t, int column, int r, MatrixRow<n>& to) const {
        const programs::LoadedTerm<double>& term = terms.terms[at(t)];
        const bool imaginary = term.i_power % 2 == 1;
        double* const of = imaginary ? to.im[r][column] : to.re[r][column];
        if (terms.simple[at(t)])
            return with_simple<double>(term, row, [&](const auto& m) {
                Device::run(row.length, [=](std::int64_t i) WHORL_INSIDE { of[i] += m(i); });
            });
        const double sign = term.i_power >= 2 ? -1.0 : 1.0;
        for (int i = 0; i < row.length; ++i) of[i] += sign * term.of(widened(row.k(i)));
    }
};

// Components of some registers at the modes of a row: component c of register v at mode i is
// data[v * apart + c * stride + i].
template <class Real> struct RowOfRegisters {
    Complex<Real>* data;
    int stride;
    std::int64_t apart;
    int count;
};

// exp((L - rate) elapsed) of all blocks.
template <class Device, class Real> struct Blocks {
    const Tables<Real>& tables;
    const LinearForcing<Real>& forcing;
    Real elapsed;

    // The row has the mean alone, or is without it, where fields are forced linearly.
    void advance(const ModeRow<Real>& row, const RowOfRegisters<Real>& registers) const {
        for (const std::vector<int>& components : tables.blocks) {
            const bool growing = forcing.grows && square(row.k(0)) > Real(0);
            const auto f = at(tables.field_of[at(components[0])]);
            const double grown = growing ? static_cast<double>(forcing.growth[f]) : 0.0;
            Real rates[most_coupled][modes_at_once];
            for (std::size_t n = 0; n < components.size(); ++n)
                tables.field_at(components[n]).template find_rates<Device>(row, rates[n]);
            if (components.size() == 1)
                advance_small<1>(row, components, rates, grown, registers);
            else if (components.size() == 2)
                advance_small<2>(row, components, rates, grown, registers);
            else
                advance_modes(row, components, rates, grown, registers);
        }
    }

  private:
    static Complex<Real>* place(const RowOfRegisters<Real>& registers, int v, int component) {
        return registers.data + v * registers.apart + component * registers.stride;
    }
    template <int n>
    void advance_small(const ModeRow<Real>& row, const std::vector<int>& components,
                       const Real (*rates)[modes_at_once], double grown,
                       const RowOfRegisters<Real>& registers) const {
        MatrixRow<n> factors;
        BlockRow<Device, Real, n>{tables.coupling_in_double, components.data(), row}.find_factors(
            rates, elapsed, grown, factors);
        for (int v = 0; v < registers.count; ++v) {
            Complex<Real>* const vectors[2] = {place(registers, v, components[0]),
                                               place(registers, v, components[n - 1])};
            BlockRow<Device, Real, n>::apply(factors, row.length, vectors);
        }
    }
    void advance_modes(const ModeRow<Real>& row, const std::vector<int>& components,
                       const Real (*rates)[modes_at_once], double grown,
                       const RowOfRegisters<Real>& registers) const {
        const TermSums<double>& terms = tables.coupling_in_double;
        const auto size = static_cast<int>(components.size());
        const Block block{terms.terms.data(), terms.sources.data(), terms.begin.data(), components.data(),
                          size};
        for (int i = 0; i < row.length; ++i) {
            Complex<double> wide[Stage::registers][most_coupled];
            double rate[most_coupled];
            const auto each = [&](const auto& use) {
                for (int v = 0; v < registers.count; ++v)
                    for (int n = 0; n < size; ++n) use(wide[v][n], place(registers, v, components[at(n)])[i]);
            };
            for (int n = 0; n < size; ++n) rate[n] = rates[n][i];
            each([](Complex<double>& to, const Complex<Real>& from) { to = widened(from); });
            block.advance_any<Real>(widened(row.k(i)), rate, elapsed, grown, wide, registers.count);
            each([](const Complex<double>& from, Complex<Real>& to) { to = narrowed<Real>(from); });
        }
    }
};

} // namespace whorl::equations

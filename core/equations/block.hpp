// exp((L - D) t) of the components that linear terms connect, in double (steppers/coupling.hpp): L is the
// matrix of the terms at a wavenumber, D the rates of the components less the slowest of them.
#pragma once

#include <cmath>

#include "base/exponential.hpp"
#include "base/sine_cosine.hpp"
#include "equations/tables.hpp"
#include "steppers/coupling.hpp"

namespace whorl::equations {

// A model of n components with their matrix at one wavenumber.
template <int n> struct BlockModel {
    static constexpr int fields = n, rates = n;
    static constexpr WHORL_INLINE int rate_of(int f) { return f; }
    Complex<double> matrix[n][n] = {};

    WHORL_INLINE void couple(Wavenumber<double>, const Complex<double>* a, Complex<double>* da) const {
        for (int r = 0; r < n; ++r)
            for (int c = 0; c < n; ++c) da[r] = da[r] + matrix[r][c] * a[c];
    }
    // A bound on the matrix: the largest sum of a row.
    WHORL_INLINE double norm() const {
        double most = 0.0;
        for (int r = 0; r < n; ++r) {
            double sum = 0.0;
            for (int c = 0; c < n; ++c) sum += std::hypot(matrix[r][c].re, matrix[r][c].im);
            most = sum > most ? sum : most;
        }
        return most;
    }
};

// exp(z) for parts of z below 700. Vectorises inside a loop over modes.
WHORL_INLINE Complex<double> exponential(Complex<double> z) {
    const Decay<double> decay = exponential_decay(z.re < 700.0 ? -z.re : -700.0);
    const double size = decay.whole + decay.rest;
    const SineCosine<double> turn = sine_cosine(z.im);
    return {size * turn.cosine, size * turn.sine};
}
// The root of w with a real part that is not negative, for |w| > 0 (Numerical Recipes, section 5.5).
WHORL_INLINE Complex<double> root(Complex<double> w) {
    const double size = std::sqrt(w.re * w.re + w.im * w.im), part = w.re < 0.0 ? -w.re : w.re;
    const double longer = std::sqrt(0.5 * (size + part)), shorter = 0.5 * w.im / longer;
    const bool right = w.re >= 0.0, down = w.im < 0.0;
    return {right ? longer : down ? -shorter : shorter, right ? shorter : down ? -longer : longer};
}

// exp(M t + g) of one component.
WHORL_INLINE BlockModel<1> exponential_of(const BlockModel<1>& model, double t, double g) {
    const Complex<double> m = model.matrix[0][0];
    return {{{exponential({m.re * t + g, m.im * t})}}};
}
// exp(M t + g) of two components. With s half the trace, N = M - s and q^2 N's square, it is
//   exp(s t + g) (cosh(q t) + t N sinh(q t) / (q t)),
// where cosh and sinh over its argument are summed as Taylor series for |q t| < 1/2. Has no branch, so that
// it vectorises inside a loop over modes.
WHORL_INLINE BlockModel<2> exponential_of(const BlockModel<2>& model, double t, double g) {
    const auto& m = model.matrix;
    const Complex<double> s = 0.5 * (m[0][0] + m[1][1]), d = 0.5 * (m[0][0] - m[1][1]);
    const Complex<double> w = (t * t) * (d * d + m[0][1] * m[1][0]);
    const bool near = w.re * w.re + w.im * w.im < 1.0 / 16;
    const Complex<double> small{near ? w.re : 0.0, near ? w.im : 0.0};
    Complex<double> even{1, 0}, odd{1, 0};
    unrolled<6>([&](auto i) {
        constexpr int n = 12 - 2 * static_cast<int>(i);
        even = (1.0 / (n * (n - 1))) * (small * even);
        odd = (1.0 / (n * (n + 1))) * (small * odd);
        even.re += 1.0;
        odd.re += 1.0;
    });
    const Complex<double> z = root({near ? 1.0 : w.re, near ? 0.0 : w.im});
    const Complex<double> apart{near ? 0.0 : z.re, near ? 0.0 : z.im};
    const Complex<double> rising = exponential({s.re * t + g + apart.re, s.im * t + apart.im}),
                          falling = exponential({s.re * t + g - apart.re, s.im * t - apart.im});
    const Complex<double> cosh = 0.5 * (rising + falling);
    const Complex<double> sinh = (0.5 / dot(z, z)) * ((rising - falling) * conjugate(z));
    const Complex<double> near_even = rising * even, near_odd = rising * odd;
    even = {near ? near_even.re : cosh.re, near ? near_even.im : cosh.im};
    odd = {near ? near_odd.re : sinh.re, near ? near_odd.im : sinh.im};
    const Complex<double> by = t * odd;
    return {{{even + by * d, by * m[0][1]}, {by * m[1][0], even - by * d}}};
}

// The components of a block, and the terms that connect them: those of component c are numbers
// [begin[c], begin[c + 1]).
struct Block {
    const programs::LoadedTerm<double>* terms;
    const int* sources;
    const int* begin;
    const int* components;
    int count;

    template <int n> WHORL_ANYWHERE void find_matrix(Wavenumber<double> k, BlockModel<n>& model) const {
        for (int r = 0; r < count; ++r)
            for (int t = begin[components[r]]; t < begin[components[r] + 1]; ++t) {
                int column = 0;
                while (components[column] != sources[t]) ++column;
                Complex<double>& of = model.matrix[r][column];
                of = of + terms[t].of(k) * kernels::power_of_i<double>(terms[t].i_power);
            }
    }
    // a <- exp((L - rate) elapsed + grown) a of `vectors` vectors, for fields of precision Real. Rates and
    // vectors have n components, those beyond the block's are zero.
    template <class Real, int n>
    WHORL_APART void advance(Wavenumber<double> k, const double* rate, double elapsed, double grown,
                             Complex<double> (*a)[most_coupled], int vectors) const {
        BlockModel<n> model;
        find_matrix(k, model);
        if constexpr (n <= 2) {
            for (int f = 0; f < n; ++f) model.matrix[f][f].re -= rate[f];
            const auto factor = exponential_of(model, elapsed, grown);
            for (int v = 0; v < vectors; ++v) {
                Complex<double> next[n] = {};
                factor.couple(k, a[v], next);
                for (int f = 0; f < n; ++f) a[v][f] = next[f];
            }
        } else {
            const double slowest = rate[slowest_of<BlockModel<n>>(rate)];
            const Decay<double> factor = exponential_decay(slowest * elapsed - grown);
            for (int v = 0; v < vectors; ++v) {
                advance_coupling<Real>(model, k, rate, elapsed, model.norm(), a[v]);
                for (int f = 0; f < n; ++f) a[v][f] = decayed(factor, a[v][f]);
            }
        }
    }
    // advance() of three components or more.
    template <class Real, int n = 3>
    void advance_any(Wavenumber<double> k, const double* rate, double elapsed, double grown,
                     Complex<double> (*a)[most_coupled], int vectors) const {
        if (count == n) return advance<Real, n>(k, rate, elapsed, grown, a, vectors);
        if constexpr (n < most_coupled) advance_any<Real, n + 1>(k, rate, elapsed, grown, a, vectors);
    }
    // advance() with few sizes, since code of a GPU takes long to compile. The rate of components beyond the
    // block's is that of its first.
    template <class Real>
    WHORL_ANYWHERE void advance_padded(Wavenumber<double> k, double* rate, double elapsed, double grown,
                                       Complex<double> (*a)[most_coupled], int vectors) const {
        for (int f = count; f < most_coupled; ++f) {
            rate[f] = rate[0];
            for (int v = 0; v < vectors; ++v) a[v][f] = {0, 0};
        }
        if (count == 1) return advance<Real, 1>(k, rate, elapsed, grown, a, vectors);
        if (count == 2) return advance<Real, 2>(k, rate, elapsed, grown, a, vectors);
        if (count <= 4) return advance<Real, 4>(k, rate, elapsed, grown, a, vectors);
        advance<Real, most_coupled>(k, rate, elapsed, grown, a, vectors);
    }
};

} // namespace whorl::equations

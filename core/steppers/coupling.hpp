// exp((L - D) t) of one mode: L is a model's linear coupling, D the rates of its fields less the slowest of
// them, so that the result only decays or turns and nothing overflows. It is summed to rounding as a Taylor
// series where (|L| + |D|) t <= 1, in substeps where it is at most 16, else by scaling and squaring of the
// matrix (Moler and Van Loan, SIAM Rev. 45, 3 (2003), method 3). The precision is double whatever that of the
// fields, which would drift if a factor of every step were rounded to theirs.
#pragma once

#include <cmath>
#include <limits>

#include "base/unrolled.hpp"
#include "roundtrip/mode.hpp"

namespace whorl {

// A model with a closed form of exp(L t) and one rate for all fields.
template <class Model>
concept AdvancesItself = requires(const Model& model, Complex<double>* a) {
    model.advance_coupling(Wavenumber<double>{}, 0.0, a);
    requires Model::rates == 1;
};

// The slowest and the fastest of the rates of a mode's fields.
template <class Model> WHORL_INLINE int slowest_of(const double* rate) {
    int slowest = 0;
    unrolled<Model::rates>(
        [&](auto q) { slowest = rate[q] < rate[slowest] ? static_cast<int>(q) : slowest; });
    return slowest;
}
template <class Model> WHORL_INLINE double fastest_of(const double* rate) {
    double fastest = rate[0];
    unrolled<Model::rates>([&](auto q) { fastest = rate[q] > fastest ? rate[q] : fastest; });
    return fastest;
}

// The number of terms of exp(x) for |x| <= reach. The rest is below the rounding of double, or so far below
// that of Real that it has no effect after any number of steps.
template <class Real> WHORL_INLINE int terms_for(double reach) {
    constexpr double of_fields = std::numeric_limits<Real>::epsilon() / 4096.0,
                     of_double = std::numeric_limits<double>::epsilon() / 4;
    int terms = 0;
    for (double term = 1; term > (of_fields > of_double ? of_fields : of_double);) term *= reach / ++terms;
    return terms;
}

template <class Model> struct Coupling {
    static constexpr int fields = Model::fields;
    const Model& model;
    Wavenumber<double> k;
    const double* rate;
    double slowest;

    // a <- exp((L - D) h) a
    WHORL_CALL void advance(double h, int terms, Complex<double>* a) const {
        Complex<double> term[fields], next[fields];
        for (int f = 0; f < fields; ++f) term[f] = a[f];
        for (int n = 1; n <= terms; ++n) {
            const double weight = h / n;
            for (int f = 0; f < fields; ++f) next[f] = {0, 0};
            model.couple(k, term, next);
            for (int f = 0; f < fields; ++f) {
                if constexpr (Model::rates > 1)
                    next[f] = next[f] - (rate[Model::rate_of(f)] - slowest) * term[f];
                term[f] = weight * next[f];
                a[f] = a[f] + term[f];
            }
        }
    }

    // advance() by the matrix of h / 2^halvings, squared `halvings` times; column c is m[c].
    WHORL_CALL void square_up(double h, int halvings, int terms, Complex<double>* a) const {
        using Column = Complex<double>[fields];
        Column m[fields] = {};
        for (int c = 0; c < fields; ++c) {
            m[c][c] = {1, 0};
            advance(std::ldexp(h, -halvings), terms, m[c]);
        }
        for (int n = 0; n < halvings; ++n) {
            Column squared[fields];
            for (int c = 0; c < fields; ++c) apply(m, m[c], squared[c]);
            for (int c = 0; c < fields; ++c)
                for (int f = 0; f < fields; ++f) m[c][f] = squared[c][f];
        }
        Column result;
        apply(m, a, result);
        for (int f = 0; f < fields; ++f) a[f] = result[f];
    }

    static WHORL_CALL void apply(const Complex<double> (*m)[fields], const Complex<double>* a,
                                 Complex<double>* result) {
        for (int f = 0; f < fields; ++f) {
            result[f] = {0, 0};
            for (int c = 0; c < fields; ++c) result[f] = result[f] + m[c][f] * a[c];
        }
    }
};

// a <- exp((L - D) elapsed) a, |L| <= norm, for fields of precision Real.
template <class Real, class Model>
WHORL_CALL void advance_coupling(const Model& model, Wavenumber<double> k, const double* rate, double elapsed,
                                 double norm, Complex<double>* a) {
    constexpr int few = 16;
    const double slowest = rate[slowest_of<Model>(rate)];
    const double reach = (norm + fastest_of<Model>(rate) - slowest) * elapsed;
    const Coupling<Model> coupling{model, k, rate, slowest};
    if (reach <= few) {
        const int substeps = static_cast<int>(std::ceil(reach));
        const double weight = 1.0 / (substeps > 0 ? substeps : 1);
        const int terms = terms_for<Real>(reach * weight);
        for (int s = 0; s < substeps; ++s) coupling.advance(elapsed * weight, terms, a);
    } else {
        int halvings = 0;
        std::frexp(reach, &halvings); // reach < 2^halvings
        coupling.square_up(elapsed, halvings, terms_for<Real>(1.0), a);
    }
}

} // namespace whorl

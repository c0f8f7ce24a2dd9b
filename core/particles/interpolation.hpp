// Interpolation between grid points of spacing d: at x = (m + t) d with 0 <= t < 1
//
//   f(x) = sum_j w_j(t) c_(m - n/2 + 1 + j),   j = 0, ..., n - 1,
//
// with n even points, so that the error is of order (k d)^n. Lagrange polynomials use the values of f as c.
// B-splines of degree n - 1, which have n - 2 continuous derivatives, use the coefficients of the spline
// through all values. For a wave exp(i k x) the coefficients are its values divided by
//
//   B(k d) = w_(n/2 - 1)(0) + 2 sum_j w_(n/2 - 1 + j)(0) cos(j k d),   j = 1, ..., n/2 - 1,
//
// which is exact for a Fourier series (Unser, Aldroubi and Eden, IEEE Trans. Signal Process. 41, 821 (1993);
// van Hinsberg et al., Phys. Rev. E 87, 043307 (2013)).
#pragma once

#include <array>
#include <cmath>

#include "base/macros.hpp"

namespace whorl::particles {

struct Interpolation {
    static constexpr int most = 8; // points

    bool spline = true;
    int points = 4;
    double of_node[most] = {};  // 1 / prod (j - l) over the points l of j
    double inverses[most] = {}; // 1 / d

    Interpolation() = default;
    Interpolation(bool is_spline, int point_count) : spline(is_spline), points(point_count) {
        for (int j = 0; j < points; ++j) {
            double product = 1.0;
            for (int l = 0; l < points; ++l)
                if (l != j) product *= j - l;
            of_node[j] = 1.0 / product;
            inverses[j] = j > 0 ? 1.0 / j : 0.0;
        }
    }

    // The weights at a place, or at several places in a vector, for n points; 0: for `points` points.
    template <int n = 0, class T> WHORL_INLINE void weights(const T& t, T* w) const {
        spline ? spline_weights<n>(t, w) : polynomial_weights<n>(t, w);
    }

  private:
    // The Cox-de Boor recursion: the d weights of degree d - 1 give the d + 1 weights of degree d.
    template <int n, class T> WHORL_INLINE void spline_weights(const T& t, T* w) const {
        const int count = n > 0 ? n : points;
        w[0] = T{} + 1.0;
        for (int d = 1; d < count; ++d) {
            const double inverse = inverses[d];
            w[d] = t * inverse * w[d - 1];
            for (int j = d - 1; j > 0; --j)
                w[j] = inverse * ((t + double(d - j)) * w[j - 1] + (double(j + 1) - t) * w[j]);
            w[0] = w[0] * ((1.0 - t) * inverse);
        }
    }
    // Products over the points before and after each point.
    template <int n, class T> WHORL_INLINE void polynomial_weights(const T& t, T* w) const {
        const int count = n > 0 ? n : points, first = 1 - count / 2;
        T before = T{} + 1.0, behind = before;
        for (int j = 0; j < count; ++j) {
            w[j] = of_node[j] * before;
            before = before * (t - double(first + j));
        }
        for (int j = count - 1; j >= 0; --j) {
            w[j] = w[j] * behind;
            behind = behind * (t - double(first + j));
        }
    }
};

// 1 / B for the waves of an axis; 1 where the values themselves are used.
struct Prefilter {
    std::array<double, Interpolation::most / 2> b{1.0};
    double spacing = 0.0;

    Prefilter() = default;
    Prefilter(const Interpolation& of, double spacing_of_axis) : spacing(spacing_of_axis) {
        if (!of.spline) return;
        double w[Interpolation::most];
        of.weights(0.0, w);
        for (int j = 0; j < of.points / 2; ++j)
            b[static_cast<std::size_t>(j)] = w[of.points / 2 - 1 + j] * (j == 0 ? 1.0 : 2.0);
    }
    WHORL_INLINE double of(double k) const {
        double sum = b[0];
        for (std::size_t j = 1; j < b.size(); ++j)
            if (b[j] != 0.0) sum += b[j] * std::cos(static_cast<double>(j) * k * spacing);
        return 1.0 / sum;
    }
};

} // namespace whorl::particles

// Forward discrete Fourier transforms of R complex values held as real and imaginary parts:
//   b_u = sum_t a_t exp(-2 pi i t u / R),  in place, R = 1, 2, 3, 4, 5, 7, 8, 16.
// V is a vector of lanes (or a real number): every lane is a transform of its own.
#pragma once

#include <array>

#include "base/macros.hpp"
#include "base/unrolled.hpp"

namespace whorl::device {

// The parts are copied one by one: the compiler would copy the whole through the stack in halves of a vector,
// and a load that needs two stores waits for both.
template <class V> struct Split {
    V re, im;

    Split() = default;
    WHORL_INLINE Split(const V& real, const V& imaginary) : re(real), im(imaginary) {}
    WHORL_INLINE Split(const Split& a) : re(a.re), im(a.im) {}
    WHORL_INLINE Split& operator=(const Split& a) {
        re = a.re;
        im = a.im;
        return *this;
    }
};
template <class V> WHORL_INLINE Split<V> operator+(const Split<V>& a, const Split<V>& b) {
    return {a.re + b.re, a.im + b.im};
}
template <class V> WHORL_INLINE Split<V> operator-(const Split<V>& a, const Split<V>& b) {
    return {a.re - b.re, a.im - b.im};
}
template <class V, class Real> WHORL_INLINE Split<V> turned(const Split<V>& a, Real c, Real s) {
    return {a.re * c + a.im * s, a.im * c - a.re * s}; // a (c - i s)
}

// cos and sin of 2 pi t / R, t = 0 ... R - 1.
template <int R> struct Roots;
template <> struct Roots<3> {
    static constexpr std::array<double, 3> c{1.0, -0.5, -0.5};
    static constexpr std::array<double, 3> s{0.0, 0.86602540378443864676, -0.86602540378443864676};
};
template <> struct Roots<5> {
    static constexpr double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410;
    static constexpr double s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;
    static constexpr std::array<double, 5> c{1.0, c1, c2, c2, c1};
    static constexpr std::array<double, 5> s{0.0, s1, s2, -s2, -s1};
};
template <> struct Roots<7> {
    static constexpr double c1 = 0.62348980185873353053, c2 = -0.22252093395631440429,
                            c3 = -0.90096886790241912624;
    static constexpr double s1 = 0.78183148246802980871, s2 = 0.97492791218182360702,
                            s3 = 0.43388373911755812048;
    static constexpr std::array<double, 7> c{1.0, c1, c2, c3, c3, c2, c1};
    static constexpr std::array<double, 7> s{0.0, s1, s2, s3, -s3, -s2, -s1};
};

template <int R, class Real> struct Butterfly { // odd primes, by symmetric and antisymmetric sums
    template <class V> static WHORL_INLINE void run(Split<V>* a) {
        constexpr int half = R / 2;
        Split<V> sum[half], difference[half];
        for (int t = 0; t < half; ++t) {
            sum[t] = a[t + 1] + a[R - 1 - t];
            difference[t] = a[t + 1] - a[R - 1 - t];
        }
        Split<V> even[half], odd[half];
        unrolled<half>([&](auto u) WHORL_INSIDE {
            Split<V> e = a[0];
            Split<V> o = {sum[0].re - sum[0].re, sum[0].re - sum[0].re};
            unrolled<half>([&](auto t) WHORL_INSIDE {
                constexpr std::size_t power = (t + 1) * (u + 1) % R;
                constexpr Real c = static_cast<Real>(Roots<R>::c[power]),
                               s = static_cast<Real>(Roots<R>::s[power]);
                e = {e.re + c * sum[t].re, e.im + c * sum[t].im};
                o = {o.re + s * difference[t].re, o.im + s * difference[t].im};
            });
            even[u] = e;
            odd[u] = o;
        });
        for (int t = 0; t < half; ++t) a[0] = a[0] + sum[t];
        for (int u = 1; u <= half; ++u) {
            a[u] = {even[u - 1].re + odd[u - 1].im, even[u - 1].im - odd[u - 1].re};
            a[R - u] = {even[u - 1].re - odd[u - 1].im, even[u - 1].im + odd[u - 1].re};
        }
    }
};

template <class Real> struct Butterfly<1, Real> {
    template <class V> static WHORL_INLINE void run(Split<V>*) {}
};

template <class Real> struct Butterfly<2, Real> {
    template <class V> static WHORL_INLINE void run(Split<V>* a) {
        const Split<V> b = a[0] - a[1];
        a[0] = a[0] + a[1];
        a[1] = b;
    }
};

template <class Real> struct Butterfly<4, Real> {
    template <class V> static WHORL_INLINE void run(Split<V>* a) {
        const Split<V> s0 = a[0] + a[2], d0 = a[0] - a[2], s1 = a[1] + a[3], d1 = a[1] - a[3];
        a[0] = s0 + s1;
        a[2] = s0 - s1;
        a[1] = {d0.re + d1.im, d0.im - d1.re};
        a[3] = {d0.re - d1.im, d0.im + d1.re};
    }
};

template <class Real> struct Butterfly<8, Real> {
    template <class V> static WHORL_INLINE void run(Split<V>* a) {
        constexpr Real root = static_cast<Real>(0.70710678118654752440);
        Split<V> even[4] = {a[0], a[2], a[4], a[6]}, odd[4] = {a[1], a[3], a[5], a[7]};
        Butterfly<4, Real>::run(even);
        Butterfly<4, Real>::run(odd);
        odd[1] = {root * (odd[1].re + odd[1].im), root * (odd[1].im - odd[1].re)};
        odd[2] = {odd[2].im, -odd[2].re};
        odd[3] = {root * (odd[3].im - odd[3].re), -root * (odd[3].re + odd[3].im)};
        for (int u = 0; u < 4; ++u) {
            a[u] = even[u] + odd[u];
            a[u + 4] = even[u] - odd[u];
        }
    }
};

} // namespace whorl::device

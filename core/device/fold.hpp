// Cosine and sine lines of n points, n even, by one complex transform of n points (Makhoul, IEEE Trans.
// Acoust. Speech Signal Process. 28, 27 (1980)). With v_j = x_{2j}, v_{n-1-j} = x_{2j+1} and w_k = exp(i pi k
// / 2n),
//   forward  V = forward transform of v,  C_k = w_k* V_k + w_k V_{n-k}.
//   inverse  V_k = w_k (C_k - i C_{n-k}), C_n = 0,  v = backward transform of V.
// A sine line is the cosine line of (-1)^j x_j with the modes in reverse order: S_k = C_{n-k}, S_0 = 0.
// Backward transforms are forward ones with real and imaginary parts swapped before and after. Swapping parts
// turns i into -i, so that modes are multiplied by the same power of i in both directions.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "base/macros.hpp"
#include "device/line_plan.hpp"
#include "device/rows.hpp"

namespace whorl::device {

// cos and sin of pi k / 2n, k < n.
template <class Real> std::vector<Real> fold_twiddles(int n) {
    std::vector<Real> twiddles;
    for (int k = 0; k < n; ++k) {
        const double angle = std::numbers::pi * k / (2.0 * n);
        twiddles.push_back(static_cast<Real>(std::cos(angle)));
        twiddles.push_back(static_cast<Real>(std::sin(angle)));
    }
    return twiddles;
}

// The points of a line as v.
template <class Rows> struct FoldedPoints {
    using Value = typename Rows::Value;
    Rows rows;
    int n;
    bool sine;

    WHORL_INLINE Value get(int j) const { return signed_for(j, rows.get(unfolded(j, n))); }
    WHORL_INLINE void set(int j, const Value& value) const { rows.set(unfolded(j, n), signed_for(j, value)); }
    WHORL_INLINE Value signed_for(int j, const Value& value) const {
        return sine && 2 * j >= n ? Value{-value.re, -value.im} : value;
    }
};

// Modes of a line <-> its V, in pairs k and n - k, k = 0 ... n / 2. Modes and V are rows with get(k) and
// set(k, value), of a Value with parts re and im.
template <class Real> struct Fold {
    int n;
    const Real* twiddles; // fold_twiddles
    Dropped dropped;      // modes, which are neither read nor written
    bool sine;
    int i_power; // modes are i^i_power times those of a cosine or sine line

    // V from the modes, both with parts swapped.
    template <class Modes, class V> WHORL_INLINE void begin(int k, const Modes& modes, const V& v) const {
        using Value = typename Modes::Value;
        const Value x = mode(modes, k);
        if (k == 0) return v.set(0, sine ? Value{} : x);
        if (2 * k == n) return v.set(k, {root * x.re, root * x.im});
        const Real c = twiddles[2 * k], s = twiddles[2 * k + 1];
        Value plus = x, minus = x; // x + i y, x - i y
        if (!dropped.has(n - k)) {
            const Value y = mode(modes, n - k);
            plus = {x.re - y.im, x.im + y.re};
            minus = {x.re + y.im, x.im - y.re};
        }
        const Value p = turned(sine ? minus : plus, c, s), q = turned(sine ? plus : minus, c, -s);
        v.set(k, sine ? Value{-p.im, p.re} : p);
        v.set(n - k, sine ? Value{q.im, -q.re} : q);
    }

    // The modes from V, which may lie in the same memory.
    template <class V, class Modes> WHORL_INLINE void finish(int k, const V& v, const Modes& modes) const {
        using Value = typename V::Value;
        const Value p = v.get(k);
        if (k == 0) return put(modes, 0, sine ? Value{} : p + p);
        if (2 * k == n) return put(modes, k, Value{root * p.re, root * p.im});
        const Value q = v.get(n - k), a = p + q, b = p - q;
        const Real c = twiddles[2 * k], s = twiddles[2 * k + 1];
        if (!dropped.has(k)) put(modes, k, sine ? high_of(a, b, c, s) : low_of(a, b, c, s));
        if (!dropped.has(n - k)) put(modes, n - k, sine ? low_of(a, b, c, s) : high_of(a, b, c, s));
    }

  private:
    static constexpr Real root = static_cast<Real>(1.41421356237309504880);

    // C_k and C_{n-k} from the sum and the difference of V_k and V_{n-k}.
    template <class Value> static WHORL_INLINE Value low_of(const Value& a, const Value& b, Real c, Real s) {
        return {c * a.re + s * b.im, c * a.im - s * b.re};
    }
    template <class Value> static WHORL_INLINE Value high_of(const Value& a, const Value& b, Real c, Real s) {
        return {s * a.re - c * b.im, s * a.im + c * b.re};
    }
    // a (c - i s)
    template <class Value> static WHORL_INLINE Value turned(const Value& a, Real c, Real s) {
        return {a.re * c + a.im * s, a.im * c - a.re * s};
    }
    template <class Value> WHORL_INLINE Value times_turn(const Value& a) const {
        return i_power == 0 ? a : (i_power < 0 ? Value{a.im, -a.re} : Value{-a.im, a.re});
    }
    template <class Modes> WHORL_INLINE auto mode(const Modes& modes, int k) const {
        using Value = typename Modes::Value;
        return dropped.has(k) ? Value{} : times_turn(modes.get(k));
    }
    template <class Modes, class Value>
    WHORL_INLINE void put(const Modes& modes, int k, const Value& a) const {
        if (!dropped.has(k)) modes.set(k, times_turn(a));
    }
};

// All pairs of a line. The bases of today have loops of their own, with constant `sine` and `i_power`.
template <class Real> class WallFold {
  public:
    explicit WallFold(int n) : n_(n), twiddles_(fold_twiddles<Real>(n)) {}

    template <class Modes, class V>
    void begin(const Modes& modes, const V& v, Dropped dropped, Basis basis) const {
        each_pair(dropped, basis, [&](const auto& fold, int k) WHORL_INSIDE { fold.begin(k, modes, v); });
    }
    template <class V, class Modes>
    void finish(const V& v, const Modes& modes, Dropped dropped, Basis basis) const {
        each_pair(dropped, basis, [&](const auto& fold, int k) WHORL_INSIDE { fold.finish(k, v, modes); });
    }

  private:
    template <class F> void each_pair(Dropped dropped, Basis basis, const F& f) const {
        const auto as = [&](bool sine, int i_power) WHORL_INSIDE {
            const Fold<Real> fold{n_, twiddles_.data(), dropped, sine, i_power};
            for (int k = 0; 2 * k <= n_; ++k) f(fold, k);
        };
        if (basis == Basis::cosine)
            as(false, 0);
        else if (basis == Basis::sine)
            as(true, 0);
        else if (basis == Basis::odd)
            as(true, -1);
        else
            as(traits_of(basis).sine, traits_of(basis).i_power);
    }

    int n_;
    std::vector<Real> twiddles_;
};

} // namespace whorl::device

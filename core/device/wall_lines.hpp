// Cosine and sine lines of n points, n even, by one complex transform of n points (Makhoul, IEEE Trans.
// Acoust. Speech Signal Process. 28, 27 (1980)). With v_j = x_{2j}, v_{n-1-j} = x_{2j+1} and w_k = exp(i pi k
// / 2n),
//   forward  V = forward transform of v,  C_k = w_k* V_k + w_k V_{n-k}
//   inverse  V_k = w_k (C_k - i C_{n-k}), C_n = 0,  v = backward transform of V
// A sine line is the cosine line of (-1)^j x_j with the modes the other way round: S_k = C_{n-k}, S_0 = 0.
// Backward transforms are forward ones with real and imaginary parts swapped before and after.
// The modes of an odd line are -i times a sine line's.
#pragma once

#include <algorithm>
#include <vector>

#include "device/lane_passes.hpp"
#include "device/lines.hpp"
#include "device/rows.hpp"

namespace whorl::device {

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

// Modes of an odd line as a sine line's, and back. With parts swapped, i is -i, so one turn serves both ways.
template <class Rows> struct OddModes {
    using Value = typename Rows::Value;
    Rows rows;

    WHORL_INLINE Value get(int k) const { return turned_back(rows.get(k)); }
    WHORL_INLINE void set(int k, const Value& value) const { rows.set(k, turned_back(value)); }
    static WHORL_INLINE Value turned_back(const Value& value) { return {value.im, -value.re}; }
};

template <class Real> class WallFold {
  public:
    explicit WallFold(int n);

    // V from the modes of a line, both with parts swapped; what `dropped` has is not read.
    template <class From, class To>
    void begin(const From& modes, const To& v, Dropped dropped, Basis basis) const {
        if (basis == Basis::cosine)
            begin_as<false>(modes, v, dropped);
        else if (basis == Basis::sine)
            begin_as<true>(modes, v, dropped);
        else
            begin_as<true>(OddModes<From>{modes}, v, dropped);
    }

    // The modes of a line from its V, which may lie in the same place; what `dropped` has is not written.
    template <class From, class To>
    void finish(const From& v, const To& modes, Dropped dropped, Basis basis) const {
        if (basis == Basis::cosine)
            finish_as<false>(v, modes, dropped);
        else if (basis == Basis::sine)
            finish_as<true>(v, modes, dropped);
        else
            finish_as<true>(v, OddModes<To>{modes}, dropped);
    }

  private:
    template <bool sine, class From, class To>
    void begin_as(const From& modes, const To& v, Dropped dropped) const {
        using Value = typename From::Value;
        const auto mode = [&](int k) { return dropped.has(k) ? Value{} : modes.get(k); };
        const int half = n_ / 2, lonely = alone(dropped);
        v.set(0, sine ? Value{} : modes.get(0));
        for (int k = 1; k < lonely; ++k) {
            const Value x = mode(k);
            set_pair<sine>(v, k, x, x);
        }
        for (int k = lonely; k < half; ++k) {
            const Value x = mode(k), y = mode(n_ - k);
            set_pair<sine>(v, k, Value{x.re - y.im, x.im + y.re}, Value{x.re + y.im, x.im - y.re});
        }
        const Value x = mode(half);
        v.set(half, {root_ * x.re, root_ * x.im});
    }

    template <bool sine, class From, class To>
    void finish_as(const From& v, const To& modes, Dropped dropped) const {
        using Value = typename From::Value;
        const int half = n_ / 2, lonely = alone(dropped);
        const Value first = v.get(0), middle = v.get(half);
        modes.set(0, sine ? Value{} : first + first);
        // C_k (or C_{n-k}) from the sum and the difference of V_k and V_{n-k}.
        const auto first_of = [](const Value& a, const Value& b, Real c, Real s) {
            return Value{c * a.re + s * b.im, c * a.im - s * b.re};
        };
        const auto second_of = [](const Value& a, const Value& b, Real c, Real s) {
            return Value{s * a.re - c * b.im, s * a.im + c * b.re};
        };
        for (int k = 1; k < (dropped.count > 0 ? std::min(lonely, dropped.first) : lonely); ++k) {
            const Value p = v.get(k), q = v.get(n_ - k);
            const Real c = cosine(k), s = sine_of(k);
            modes.set(k, sine ? second_of(p + q, p - q, c, s) : first_of(p + q, p - q, c, s));
        }
        for (int k = lonely; k < half; ++k) {
            const Value p = v.get(k), q = v.get(n_ - k);
            const Real c = cosine(k), s = sine_of(k);
            const Value low = first_of(p + q, p - q, c, s), high = second_of(p + q, p - q, c, s);
            modes.set(k, sine ? high : low);
            modes.set(n_ - k, sine ? low : high);
        }
        if (!dropped.has(half)) modes.set(half, {root_ * middle.re, root_ * middle.im});
    }

    // Below this k, mode n - k is dropped.
    int alone(Dropped dropped) const {
        return dropped.count > 0 ? std::min(n_ - dropped.first + 1, n_ / 2) : 1;
    }
    // V_k and V_{n-k} from x + i y and x - i y of the modes x = X_k, y = X_{n-k}, where parts are swapped.
    template <bool sine, class To, class Value>
    WHORL_INLINE void set_pair(const To& v, int k, const Value& plus, const Value& minus) const {
        const Real c = cosine(k), s = sine_of(k);
        const Value p = turned(sine ? minus : plus, c, s), q = turned(sine ? plus : minus, c, -s);
        v.set(k, sine ? Value{-p.im, p.re} : p);
        v.set(n_ - k, sine ? Value{q.im, -q.re} : q);
    }

    Real cosine(int k) const { return turns_[static_cast<std::size_t>(2 * k)]; }
    Real sine_of(int k) const { return turns_[static_cast<std::size_t>(2 * k + 1)]; }

    int n_;
    Real root_ = static_cast<Real>(1.41421356237309504880);
    std::vector<Real> turns_; // cos and sin of pi k / 2n
};

} // namespace whorl::device

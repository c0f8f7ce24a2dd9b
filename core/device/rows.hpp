// Real rows before, between and after the transforms along x. Two rows are transformed as one complex line,
// which halves the work:
//   inverse  Z_k = A_k + i B_k,  Z_{n-k} = A_k* + i B_k*,        a = Re z, b = Im z.
//   forward  A_k = (Z_k + Z_{n-k}*) / 2,  B_k = (Z_k - Z_{n-k}*) / 2i.
// Between walls coefficients are real, two to a complex number, and only Z_k = A_k + i B_k is needed for
// each.
#pragma once

#include <cstdint>

#include "base/complex.hpp"
#include "base/dealt.hpp"

namespace whorl::device {

// Two values with parts re and im: complex numbers, or vectors of them.
template <class Value> struct TwoOf {
    Value first, second;
};
// Z_k and Z_{n-k} from A_k and B_k; the reverse gives twice A_k and B_k.
template <class Value> WHORL_INLINE TwoOf<Value> merged(const Value& a, const Value& b) {
    return {{a.re - b.im, a.im + b.re}, {a.re + b.im, b.re - a.im}};
}
// merged() for all modes, k = 0 included: the mean of a real row is real, and an imaginary part is rounding.
template <class Value> WHORL_INLINE TwoOf<Value> merged_mode(int k, const Value& a, const Value& b) {
    const TwoOf<Value> of = merged(a, b);
    return k == 0 ? TwoOf<Value>{{a.re, b.re}, of.second} : of;
}
template <class Value> WHORL_INLINE TwoOf<Value> separated(const Value& low, const Value& high) {
    return {{low.re + high.re, low.im - high.im}, {low.im + high.im, high.re - low.re}};
}
// Z_{2k} and Z_{2k+1} from the real coefficients in a and b; it is its own inverse.
template <class Value> WHORL_INLINE TwoOf<Value> transposed(const Value& a, const Value& b) {
    return {{a.re, b.re}, {a.im, b.im}};
}

// A share of some rows: row j of variable v begins at data + v * variable_stride + j * row_stride, and `room`
// numbers from there may be accessed.
template <class Real> struct RowShare {
    Complex<Real>* data;
    std::int64_t variable_stride, row_stride;
    Dealt modes;
    int room;

    WHORL_INLINE int width() const { return modes.size(); }
};

// The x of element j of a line whose even points come first, in order, and then the odd ones in reverse
// order.
WHORL_INLINE int unfolded(int j, int n) { return 2 * j < n ? 2 * j : 2 * n - 1 - 2 * j; }

// Points of a block of rows: value (variable v, point i, row j) is data[v * stride + i * rows + j]; `count`
// of the rows exist. Points come in groups of `of_group`, `step` apart from the group's first.
template <class Real> struct RowPoints {
    Real* data;
    std::int64_t stride;
    int rows, count;
    const int* first; // of each group
    int of_group, step, points;
    int folded; // points of a line whose points are in the order of unfolded(), else 0

    WHORL_INLINE int x(int i) const {
        const int j = first[i / of_group] + i % of_group * step;
        return folded > 0 ? unfolded(j, folded) : j;
    }
};

} // namespace whorl::device

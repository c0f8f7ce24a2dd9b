// Moments of increments along rows that close on themselves. With d_q = v_q(x + s) - v_q(x), s in points:
//   for each quantity q   sums over x of |d_q|^p, p = 1, ..., order, then of d_q^p, p = 3, 5, ... <= order
//   for each pair (a, b)  sums over x of d_a d_b^2
// in double precision, one x after another. Monin and Yaglom, Statistical Fluid Mechanics 2, section 21.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/macros.hpp"

namespace whorl::programs {

inline constexpr int highest_order = 8;

// The moments and their numbers: those of each quantity, then those of the pairs.
struct IncrementShape {
    int quantities = 0, order = 0, pairs = 0, separations = 0;

    static constexpr WHORL_INLINE int odd_of(int order) { return (order - 1) / 2; }
    static constexpr int most_together = highest_order + (highest_order - 1) / 2; // moments of a group
    WHORL_INLINE int of_quantity() const { return order + odd_of(order); }
    WHORL_INLINE int moments() const { return quantities * of_quantity() + pairs; }
    // Sums that are made together: the moments of a quantity, or of some pairs, since each addition to a sum
    // waits for the one before.
    static constexpr int pairs_together = 2;
    WHORL_INLINE int groups() const { return quantities + (pairs + pairs_together - 1) / pairs_together; }
    WHORL_INLINE int first_pair(int group) const { return (group - quantities) * pairs_together; }
    WHORL_INLINE int first_moment(int group) const {
        return group < quantities ? group * of_quantity() : quantities * of_quantity() + first_pair(group);
    }
};

// The magnitude of a number, or of each of a vector.
template <class Value> WHORL_INLINE Value magnitude(const Value& value) {
    if constexpr (std::is_floating_point_v<Value>) {
        return std::abs(value);
    } else {
        using Bits = decltype(value < value);
        return std::bit_cast<Value>(std::bit_cast<Bits>(value) & std::numeric_limits<std::int64_t>::max());
    }
}

// Sums of powers of an increment; Value is a number or a vector of them. No more than four powers are kept at
// a time, so that all sums stay in sixteen registers.
template <int order, class Value> struct PowerSums {
    static constexpr int odd = IncrementShape::odd_of(order), count = order + odd;
    Value sums[count] = {};

    WHORL_INLINE void add(const Value& d) {
        Value unused{};
        const auto of = [&](int p) WHORL_INSIDE -> Value& { return p <= order ? sums[p - 1] : unused; };
        const auto odd_of = [&](int p) WHORL_INSIDE -> Value& {
            return p <= order ? sums[order + p / 2 - 1] : unused;
        };
        const Value d1 = magnitude(d), d2 = d * d, d4 = d2 * d2;
        of(1) += d1;
        of(2) += d2;
        of(3) += d2 * d1;
        odd_of(3) += d2 * d;
        of(4) += d4;
        of(5) += d4 * d1;
        odd_of(5) += d4 * d;
        of(8) += d4 * d4;
        const Value d6 = d4 * d2;
        of(6) += d6;
        of(7) += d6 * d1;
        odd_of(7) += d6 * d;
    }
};

// Calls use.operator()<order>().
template <int highest = highest_order, class Use> WHORL_INLINE void with_order(int order, const Use& use) {
    if constexpr (highest > 1)
        if (order < highest) return with_order<highest - 1>(order, use);
    use.template operator()<highest>();
}

// Calls use(from, to) for all n pairs of points x and x + separation, in the order of x.
template <class Use> WHORL_INLINE void each_pair_of_points(int n, int separation, const Use& use) {
    for (int x = 0; x < n - separation; ++x) use(x, x + separation);
    for (int x = n - separation; x < n; ++x) use(x, x + separation - n);
}

// The sums of a group of moments along a row: value(quantity, x) is a number or a vector of them, and
// put(n, sum) takes the n-th of the group.
template <class Value, class Values, class Put>
WHORL_INLINE void sum_increments(const IncrementShape& shape, int group, const std::array<int, 2>* pairs,
                                 int n, int separation, const Values& value, const Put& put) {
    if (group >= shape.quantities) {
        const int first = shape.first_pair(group), left = shape.pairs - first;
        const std::array<int, 2>*const one = pairs + first, *const other = left > 1 ? one + 1 : one;
        const int a = (*one)[0], b = (*one)[1], c = (*other)[0], d = (*other)[1];
        Value sums[IncrementShape::pairs_together] = {};
        each_pair_of_points(n, separation, [&](int from, int to) {
            const Value of_b = value(b, to) - value(b, from), of_d = value(d, to) - value(d, from);
            sums[0] += (value(a, to) - value(a, from)) * (of_b * of_b);
            sums[1] += (value(c, to) - value(c, from)) * (of_d * of_d);
        });
        for (int m = 0; m < left && m < IncrementShape::pairs_together; ++m) put(m, sums[m]);
        return;
    }
    with_order(shape.order, [&]<int order>() {
        PowerSums<order, Value> powers;
        each_pair_of_points(n, separation,
                            [&](int from, int to) { powers.add(value(group, to) - value(group, from)); });
        for (int m = 0; m < powers.count; ++m) put(m, powers.sums[m]);
    });
}

} // namespace whorl::programs

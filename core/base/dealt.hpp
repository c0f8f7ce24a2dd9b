// Items 0, 1, 2, ... are dealt in alternating order: to the parts 0, ..., p - 1, then p - 1, ..., 0, and so
// on, one or two at a time. If neighbouring items have similar weights, the parts are balanced in number and
// in weight; contiguous blocks could be balanced in one of them only.
#pragma once

#include "base/macros.hpp"

namespace whorl {

struct Dealt {
    int part = 0, parts = 1;
    int paired = 0; // 1: items 2 j and 2 j + 1 go together
    int count = 0;  // number of items of this part

    WHORL_INLINE int size() const { return count; }
    // The i-th item, in increasing order.
    WHORL_INLINE int at(int i) const {
        const int round = i >> paired;
        const int packet = round & 1 ? (round + 1) * parts - 1 - part : round * parts + part;
        return (packet << paired) + (i & paired);
    }
    // Number of its items below n.
    WHORL_INLINE int below(int n) const {
        const int packet = n >> paired, rounds = packet / parts;
        const int whole = (rounds + (at(rounds << paired) >> paired < packet ? 1 : 0)) << paired;
        const bool cut = (n & paired) && at(whole) == n - 1;
        const int held = cut ? whole + 1 : whole;
        return held < count ? held : count;
    }
};

inline Dealt deal(int total, int parts, int part, bool paired = false) {
    Dealt dealt{part, parts, paired ? 1 : 0, total};
    dealt.count = dealt.below(total);
    return dealt;
}

} // namespace whorl

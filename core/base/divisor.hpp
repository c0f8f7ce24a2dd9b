// Quotients and remainders by a number that is known when work is enqueued: on a GPU an integer division
// takes about twenty instructions, and a multiplication one.
//   x / d = floor(x m / 2^32),  m = floor((2^32 - 1) / d) + 1,  0 <= x < 2^32 / d
// (Granlund & Montgomery, Division by invariant integers using multiplication, 1994).
#pragma once

#include <cstdint>

#include "base/macros.hpp"

namespace whorl {

class Divisor {
  public:
    Divisor() = default;
    WHORL_INLINE explicit Divisor(int number)
        : number_(number), factor_(number > 1 ? 0xffffffffu / static_cast<std::uint32_t>(number) + 1 : 0) {}

    struct Parts {
        int quotient, remainder;
    };

    WHORL_INLINE int number() const { return number_; }
    WHORL_INLINE Parts divide(int x) const {
        const std::uint64_t product = std::uint64_t{static_cast<std::uint32_t>(x)} * factor_;
        const int quotient = factor_ == 0 ? x : static_cast<int>(product >> 32);
        return {quotient, x - quotient * number_};
    }

  private:
    int number_ = 1;
    std::uint32_t factor_ = 0;
};

} // namespace whorl

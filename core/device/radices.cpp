#include "device/radices.hpp"

#include <bit>

#include "base/error.hpp"

namespace whorl::device {

std::vector<int> radices(int n, int most) {
    std::vector<int> result;
    for (const int factor : {7, 5, 3})
        for (; n % factor == 0; n /= factor) result.push_back(factor);
    int bits = 0;
    const int most_bits = std::countr_zero(static_cast<unsigned>(most));
    for (; n % 2 == 0; n /= 2) ++bits;
    WHORL_REQUIRE(n == 1, "lines with a prime factor above 7 have no transform of whorl's own.");
    for (int steps = (bits + most_bits - 1) / most_bits; steps > 0; --steps) {
        const int of_step = (bits + steps - 1) / steps;
        result.push_back(1 << of_step);
        bits -= of_step;
    }
    return result;
}

} // namespace whorl::device

#include "grid/box.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.hpp"

namespace whorl {

namespace {
constexpr int largest_points = 1 << 16; // 65536 an axis keeps every line index within 32 bits
constexpr const char* axis_names[] = {"x", "y", "z"};
} // namespace

double Box::unit(int axis) const { return 2.0 * std::numbers::pi / lengths[static_cast<std::size_t>(axis)]; }

double Box::smallest_wavenumber() const {
    double smallest = std::min(unit(0), unit(1));
    return points[2] == 1 ? smallest : std::min(smallest, unit(2));
}

bool is_good_size(int n) {
    if (n < 2 || n % 2 != 0) return false;
    for (int factor : {2, 3, 5, 7})
        while (n % factor == 0) n /= factor;
    return n == 1;
}

int next_good_size(int n) {
    int good = std::max(n, 2);
    while (!is_good_size(good)) ++good;
    return good;
}

void check_box(const Box& box) {
    for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const int n = box.points[a];
        const std::string name = axis_names[axis];
        WHORL_REQUIRE(n <= largest_points, "points along " + name + " is " + std::to_string(n) +
                                               ", at most " + std::to_string(largest_points) +
                                               " are possible.");
        const bool flat = axis == 2 && n == 1;
        WHORL_REQUIRE(
            flat || (n >= 4 && is_good_size(n)),
            "points along " + name + " is " + std::to_string(n) +
                ": sizes must be even, at least 4, with no prime factor above 7; the next good size is " +
                std::to_string(next_good_size(std::max(n, 4))) +
                (axis == 2 ? " (or 1 for two-dimensional flow)." : "."));
        WHORL_REQUIRE(std::isfinite(box.lengths[a]) && box.lengths[a] > 0.0,
                      "length along " + name + " is " + std::to_string(box.lengths[a]) +
                          ": it must be positive and finite.");
    }
}

} // namespace whorl

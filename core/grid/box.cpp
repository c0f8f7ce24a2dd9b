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

double Box::unit(int axis) const {
    return (wall(axis) ? 1.0 : 2.0) * std::numbers::pi / lengths[static_cast<std::size_t>(axis)];
}

double Box::smallest_wavenumber() const {
    double smallest = unit(0);
    for (const int axis : {1, 2})
        if (!flat(axis)) smallest = std::min(smallest, unit(axis));
    return smallest;
}

double Box::largest_wavenumber() const {
    double largest = 0.0;
    for (const int axis : {0, 1, 2})
        if (!flat(axis)) largest = std::max(largest, std::numbers::pi / spacing(axis));
    return largest;
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

std::array<bool, 3> parse_bases(const std::string& bases) {
    for (const std::array<bool, 3> walls : {std::array{false, false, false}, std::array{false, false, true},
                                            std::array{false, true, true}, std::array{true, true, true}})
        if (bases_of({{}, {}, walls}) == bases) return walls;
    throw Error("bases = \"" + bases +
                "\" is unknown; choose FFF (periodic), SFF (walls in z), SSF (in z and y) or SSS (in all).");
}

std::string bases_of(const Box& box) {
    std::string bases;
    for (const int axis : {2, 1, 0}) bases += box.wall(axis) ? 'S' : 'F';
    return bases;
}

void check_box(const Box& box) {
    for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const int n = box.points[a];
        const std::string name = axis_names[axis];
        WHORL_REQUIRE(n <= largest_points, "points along " + name + " is " + std::to_string(n) +
                                               ", at most " + std::to_string(largest_points) +
                                               " are possible.");
        const bool may_be_flat = !box.wall(axis) && (axis == 2 || (axis == 1 && !box.flat(2)));
        WHORL_REQUIRE(
            (may_be_flat && n == 1) || (n >= 4 && is_good_size(n)),
            "points along " + name + " is " + std::to_string(n) +
                ": sizes must be even, at least 4, with no prime factor above 7; the next good size is " +
                std::to_string(next_good_size(std::max(n, 4))) +
                (may_be_flat ? " (or 1 for two-dimensional flow)." : "."));
        WHORL_REQUIRE(std::isfinite(box.lengths[a]) && box.lengths[a] > 0.0,
                      "length along " + name + " is " + std::to_string(box.lengths[a]) +
                          ": it must be positive and finite.");
    }
}

} // namespace whorl

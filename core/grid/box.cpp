#include "grid/box.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/declared.hpp"
#include "base/error.hpp"

namespace whorl {

namespace {
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

Box swapped(Box box, int axis) {
    const auto other = static_cast<std::size_t>(axis);
    std::swap(box.points[0], box.points[other]);
    std::swap(box.lengths[0], box.lengths[other]);
    return box;
}

bool is_good_size(int n) {
    if (n < 2 || n % 2 != 0) return false;
    for (const int factor : declared::sizes::factors)
        while (n % factor == 0) n /= factor;
    return n == 1;
}

int next_good_size(int n) {
    int good = std::max(n, declared::sizes::least);
    while (!is_good_size(good)) ++good;
    return good;
}

std::array<bool, 3> parse_bases(const std::string& bases) {
    for (const std::string known : declared::choices::bases)
        if (known == bases) return {known[2] == 'S', known[1] == 'S', known[0] == 'S'};
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
        WHORL_REQUIRE(n <= declared::sizes::most, "points along " + name + " = " + std::to_string(n) +
                                                      ": at most " + std::to_string(declared::sizes::most) +
                                                      " are possible.");
        const bool may_be_flat = !box.wall(axis) && axis > 0;
        WHORL_REQUIRE((may_be_flat && n == 1) || (n >= declared::sizes::least && is_good_size(n)),
                      "points along " + name + " = " + std::to_string(n) + ": sizes must be even, at least " +
                          std::to_string(declared::sizes::least) + ", with no prime factor above " +
                          std::to_string(declared::sizes::factors.back()) + "; the next good size is " +
                          std::to_string(next_good_size(n)) +
                          (may_be_flat ? " (or 1 for two-dimensional flow)." : "."));
        WHORL_REQUIRE(std::isfinite(box.lengths[a]) && box.lengths[a] > 0.0,
                      "length along " + name + " = " + std::to_string(box.lengths[a]) +
                          ": it must be positive and finite.");
    }
}

} // namespace whorl

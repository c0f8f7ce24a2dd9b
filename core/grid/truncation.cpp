#include "grid/truncation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/error.hpp"

namespace whorl {

Dealias parse_dealias(const std::string& name) {
    if (name == "1/2") return Dealias::half;
    if (name == "2/3") return Dealias::two_thirds;
    if (name == "phase-shift") return Dealias::phase_shift;
    if (name == "phase-shift-exact") return Dealias::phase_shift_exact;
    if (name == "none") return Dealias::none;
    throw Error("dealias = \"" + name +
                "\" is unknown; choose 1/2, 2/3, phase-shift, phase-shift-exact or none.");
}

Shape parse_shape(const std::string& name) {
    if (name == "cube") return Shape::cube;
    if (name == "sphere") return Shape::sphere;
    throw Error("shape = \"" + name + "\" is unknown; choose cube or sphere.");
}

Truncation::Truncation(const Box& box, Dealias dealias, Shape shape)
    : walls_(box.walls), dealias_(dealias), shape_(shape) {
    for (std::size_t i = 0; i < 3; ++i) points_[i] = box.walls[i] ? 2 * box.points[i] : box.points[i];
    const bool shifts = dealias == Dealias::phase_shift || dealias == Dealias::phase_shift_exact;
    WHORL_REQUIRE(box.walled_axes() == 0 || !shifts,
                  "points between walls cannot be shifted against them: with bases = \"" + bases_of(box) +
                      "\" choose dealias = \"2/3\", \"1/2\" or \"none\".");
    for (int axis = 0; axis < 3; ++axis) {
        std::array<int, 3> n{};
        int& along = n[static_cast<std::size_t>(axis)];
        while (kept(n[0], n[1], n[2])) ++along;
        extent_[static_cast<std::size_t>(axis)] = along - 1;
    }
}

bool Truncation::kept(int n_x, int n_y, int n_z) const {
    const std::array<long long, 3> n{std::llabs(n_x), std::llabs(n_y), std::llabs(n_z)};
    long double radius =
        0; // 64 bits of mantissa: exact enough to keep the boundary strict up to 65536 points
    for (std::size_t i = 0; i < 3; ++i) {
        if (points_[i] == 1) {
            if (n[i] != 0) return false;
            continue;
        }
        if (2 * n[i] >= points_[i]) return false;
        if (dealias_ == Dealias::two_thirds && 3 * n[i] >= points_[i]) return false;
        if (dealias_ == Dealias::half && 4 * n[i] >= points_[i]) return false;
        radius +=
            static_cast<long double>(9 * n[i] * n[i]) / static_cast<long double>(points_[i] * points_[i]);
    }
    constexpr long double rounding = 1e-15L;
    return ninths() == 0 || radius < ninths() - rounding;
}

int Truncation::ninths() const {
    if (dealias_ == Dealias::none || dealias_ == Dealias::half) return 0;
    if (dealias_ == Dealias::two_thirds) return shape_ == Shape::cube ? 0 : 1;
    return 2;
}

int Truncation::row_length(int n_y, int n_z) const {
    int low = 0; // kept sets are convex, so the row is 0 <= n_x < length: bisect its end
    int high = static_cast<int>(points_[0] / 2);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (kept(middle, n_y, n_z))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// A column of the sphere has the modes |n_z| <= h, h the largest integer with
//   h^2 < N_z^2 (limit - (n_x / N_x)^2 - (n_y / N_y)^2);
// where rounding could decide, at less than `doubt` from an integer, kept() does.
int Truncation::column_modes(int n_x, int n_y) const {
    if (ninths() == 0) return count(2);
    constexpr double doubt = 1e-4;
    const auto in_z = [&](std::size_t axis, int n) {
        const double scaled = static_cast<double>(points_[2]) * n / static_cast<double>(points_[axis]);
        return scaled * scaled;
    };
    const double top = static_cast<double>(ninths() * points_[2] * points_[2]) / 9.0;
    const double square = top - in_z(1, n_y) - in_z(0, n_x), root = std::sqrt(std::max(square, 0.0));
    int h = static_cast<int>(root);
    const double low = h, high = low + 1;
    if (square - low * low < doubt || high * high - square < doubt) h = height(n_x, n_y, h);
    return wall(2) ? h + 1 : 2 * h + 1;
}

std::int64_t Truncation::count_modes(int n_y, const Dealt& columns) const {
    const int kept = columns.below(column_length(n_y));
    if (ninths() == 0) return static_cast<std::int64_t>(kept) * count(2);
    std::int64_t modes = 0;
    for (int i = 0; i < kept; ++i) modes += column_modes(columns.at(i), n_y);
    return modes;
}

// Largest kept n_z of a kept column, which is near `guess`.
int Truncation::height(int n_x, int n_y, int guess) const {
    while (!kept(n_x, n_y, guess)) --guess;
    while (kept(n_x, n_y, guess + 1)) ++guess;
    return guess;
}

} // namespace whorl

#include "grid/truncation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "base/choice.hpp"

namespace whorl {

namespace {

const Dealiasing& find_dealiasing(const std::string& name) {
    std::vector<std::string> names;
    for (const Dealiasing& dealiasing : declared::dealiasings) names.emplace_back(dealiasing.name);
    require_either("dealias", name, names);
    return *std::ranges::find(declared::dealiasings, name, &Dealiasing::name);
}

bool is_sphere(const std::string& shape) {
    require_either("shape", shape, declared::choices::shape);
    return shape == "sphere";
}

// Names of the dealiasings without phase shifts, which are possible between walls.
std::string unshifted() {
    std::vector<std::string> names;
    for (const Dealiasing& dealiasing : declared::dealiasings)
        if (!dealiasing.shifts) names.push_back('"' + std::string(dealiasing.name) + '"');
    return listed(names);
}

} // namespace

Truncation::Truncation(const Box& box, const std::string& dealias, const std::string& shape)
    : walls_(box.walls), dealiasing_(&find_dealiasing(dealias)),
      ninths_(is_sphere(shape) || !dealiasing_->shaped ? dealiasing_->ninths : 0) {
    for (std::size_t i = 0; i < 3; ++i) points_[i] = box.walls[i] ? 2 * box.points[i] : box.points[i];
    WHORL_REQUIRE(box.walled_axes() == 0 || !dealiasing_->shifts,
                  "phase shifts are not possible between walls: with bases = \"" + bases_of(box) +
                      "\" choose dealias among " + unshifted() + ".");
    for (int axis = 0; axis < 3; ++axis) {
        std::array<int, 3> n{};
        int& along = n[static_cast<std::size_t>(axis)];
        while (kept(n[0], n[1], n[2])) ++along;
        extent_[static_cast<std::size_t>(axis)] = along - 1;
    }
}

bool Truncation::kept(int n_x, int n_y, int n_z) const {
    const std::array<long long, 3> n{std::llabs(n_x), std::llabs(n_y), std::llabs(n_z)};
    // 64 bits of mantissa keep the boundary strict up to 65536 points.
    long double radius = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        if (points_[i] == 1) {
            if (n[i] != 0) return false;
            continue;
        }
        if (dealiasing_->part * n[i] >= points_[i]) return false;
        radius +=
            static_cast<long double>(9 * n[i] * n[i]) / static_cast<long double>(points_[i] * points_[i]);
    }
    constexpr long double rounding = 1e-15L;
    return ninths_ == 0 || radius < ninths_ - rounding;
}

int Truncation::row_length(int n_y, int n_z) const {
    int low = 0; // kept sets are convex, so the row is 0 <= n_x < length: bisection finds its end
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

// A column of the sphere has the modes |n_z| <= h, where h is the largest integer with
//   h^2 < N_z^2 (limit - (n_x / N_x)^2 - (n_y / N_y)^2).
// If rounding could decide, at a distance below `doubt` from an integer, kept() decides.
int Truncation::column_modes(int n_x, int n_y) const {
    if (ninths_ == 0) return count(2);
    constexpr double doubt = 1e-4;
    const auto in_z = [&](std::size_t axis, int n) {
        const double scaled = static_cast<double>(points_[2]) * n / static_cast<double>(points_[axis]);
        return scaled * scaled;
    };
    const double top = static_cast<double>(ninths_ * points_[2] * points_[2]) / 9.0;
    const double square = top - in_z(1, n_y) - in_z(0, n_x), root = std::sqrt(std::max(square, 0.0));
    int h = static_cast<int>(root);
    const double low = h, high = low + 1;
    if (square - low * low < doubt || high * high - square < doubt) h = height(n_x, n_y, h);
    return wall(2) ? h + 1 : 2 * h + 1;
}

std::int64_t Truncation::count_modes(int n_y, const Dealt& columns) const {
    const int kept = columns.below(column_length(n_y));
    if (ninths_ == 0) return static_cast<std::int64_t>(kept) * count(2);
    std::int64_t modes = 0;
    for (int i = 0; i < kept; ++i) modes += column_modes(columns.at(i), n_y);
    return modes;
}

// Largest kept n_z of a kept column, which is close to `guess`.
int Truncation::height(int n_x, int n_y, int guess) const {
    while (!kept(n_x, n_y, guess)) --guess;
    while (kept(n_x, n_y, guess + 1)) ++guess;
    return guess;
}

} // namespace whorl

// The box: points, lengths and boundaries of each axis, and the sizes that the transforms accept.
//
// A periodic axis has points at j L / N. An axis between free-slip walls has points at (j + 1/2) L / N, and
// fields are sums of cosines or sines of m pi x / L, m >= 0. On the doubled axis, with 2 N points and length
// 2 L, they are periodic and even or odd.
#pragma once

#include <array>
#include <string>

#include "base/macros.hpp"

namespace whorl {

// Axes are numbered 0 = x, 1 = y, 2 = z everywhere.
struct Box {
    std::array<int, 3> points{};     // nx, ny, nz
    std::array<double, 3> lengths{}; // lx, ly, lz in the case's unit of length
    std::array<bool, 3> walls{};     // otherwise periodic

    WHORL_ANYWHERE bool wall(int axis) const { return walls[static_cast<std::size_t>(axis)]; }
    // Number of axes with walls.
    int walled_axes() const { return walls[0] + walls[1] + walls[2]; }
    // True if the axis has one point, so that nothing varies along it.
    bool flat(int axis) const { return points[static_cast<std::size_t>(axis)] == 1; }
    // Position of point 0, in spacings.
    double first_point(int axis) const { return wall(axis) ? 0.5 : 0.0; }

    // Smallest wavenumber of an axis, 2 pi / length, or pi / length between walls.
    double unit(int axis) const;
    // Smallest wavenumber of the box; spectra are binned in units of it.
    double smallest_wavenumber() const;
    // Wavenumber of the shortest wave along an axis: the largest pi / spacing.
    double largest_wavenumber() const;
    double spacing(int axis) const {
        return lengths[static_cast<std::size_t>(axis)] / points[static_cast<std::size_t>(axis)];
    }
    long long total_points() const { return 1LL * points[0] * points[1] * points[2]; }
};

// True for even n with no prime factors except the declared ones, which all transform libraries handle
// efficiently.
bool is_good_size(int n);
// The smallest allowed size of an axis that is at least n.
int next_good_size(int n);

// The box in which the first axis and another one, both periodic, have changed places.
Box swapped(Box box, int axis);

// "FFF", "SFF", "SSF" or "SSS": the bases of z, y and x, F for Fourier, S for sines and cosines.
std::array<bool, 3> parse_bases(const std::string& bases);
std::string bases_of(const Box& box);

// Throws Error, which names the next good size; nz = 1 or ny = 1 is two-dimensional flow.
void check_box(const Box& box);

// Shell n of a spectrum holds |k| / k_min in [n - 1/2, n + 1/2), k_min the smallest wavenumber of the box.

// Modes often lie exactly on a boundary, for example if lengths have a ratio such as 3 to 2. They belong to
// the shell above it, whatever rounding does to their wavenumbers in single precision.
inline constexpr double rounding_of_wavenumbers = 2e-7;

WHORL_INLINE int shell_number(double k, double smallest_wavenumber) {
    return static_cast<int>(k / smallest_wavenumber * (1.0 + rounding_of_wavenumbers) + 0.5);
}

// The square from which on modes have |k| >= k.
inline double square_of_boundary(double k) { return k * k * (1.0 - 2.0 * rounding_of_wavenumbers); }

} // namespace whorl

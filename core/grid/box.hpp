// The periodic box: points and lengths of each axis, and the sizes the transforms accept.
#pragma once

#include <array>
#include <string>

namespace whorl {

// Axes are numbered 0 = x, 1 = y, 2 = z everywhere.
struct Box {
    std::array<int, 3> points{};     // nx, ny, nz
    std::array<double, 3> lengths{}; // lx, ly, lz in the case's unit of length

    // Smallest wavenumber of an axis, 2 pi / length.
    double unit(int axis) const;
    // Smallest wavenumber of the box; spectra are binned in units of it.
    double smallest_wavenumber() const;
    double spacing(int axis) const {
        return lengths[static_cast<std::size_t>(axis)] / points[static_cast<std::size_t>(axis)];
    }
    long long total_points() const { return 1LL * points[0] * points[1] * points[2]; }
};

// Even, with no prime factor above 7: what every transform library does fast.
bool is_good_size(int n);
int next_good_size(int n);

// Throws Error with the next good size; nz = 1 is two-dimensional flow.
void check_box(const Box& box);

} // namespace whorl

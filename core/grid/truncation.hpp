// The kept modes (docs/method.md, "Truncation"). Wavenumbers are integers n_i here, in units of 2 pi / l_i.
// declared.toml defines each dealiasing:
//
//   2/3, cube      3 |n_i| < N_i on each axis            (Orszag 1971: quadratic aliases fall outside)
//   2/3, sphere    sum (n_i / N_i)^2 < 1/9
//   phase-shift    sum (n_i / N_i)^2 < 2/9               (Patterson and Orszag 1971; Rogallo 1981)
//   1/2            4 |n_i| < N_i on each axis            (cubic aliases fall outside)
//   none           2 |n_i| < N_i                          (all but Nyquist)
//
// Between walls N_i is twice the points and n_i >= 0, in units of pi / l_i: the same fraction of the
// wavenumbers. The inequalities are strict: on the boundary itself a double alias would be kept if N is
// divisible by 3.
#pragma once

#include <cstdint>
#include <string>

#include "base/dealt.hpp"
#include "base/declared.hpp"
#include "grid/box.hpp"

namespace whorl {

using Dealiasing = declared::Dealiasing;

class Truncation {
  public:
    // Throws Error listing the choices if the dealiasing or the shape is unknown.
    Truncation(const Box& box, const std::string& dealias, const std::string& shape);

    const Dealiasing& dealiasing() const { return *dealiasing_; }
    bool kept(int n_x, int n_y, int n_z) const;

    bool wall(int axis) const { return walls_[static_cast<std::size_t>(axis)]; }
    // Number of kept n along y or z: 0, ..., extent, and their negatives without walls.
    int count(int axis) const { return wall(axis) ? extent(axis) + 1 : 2 * extent(axis) + 1; }

    // Largest kept |n| along an axis.
    int extent(int axis) const { return extent_[static_cast<std::size_t>(axis)]; }
    // Number of kept kx at n_y (any n_z) and at (n_y, n_z): 0 <= n_x < length; 0 if none is kept.
    int column_length(int n_y) const { return row_length(n_y, 0); }
    int row_length(int n_y, int n_z) const;
    // Number of modes of a kept column, over all n_z, without testing each.
    int column_modes(int n_x, int n_y) const;
    // Number of modes of all columns of these n_x at n_y.
    std::int64_t count_modes(int n_y, const Dealt& columns) const;

  private:
    std::array<long long, 3> points_{}; // of one period
    std::array<bool, 3> walls_;
    const Dealiasing* dealiasing_;
    int ninths_; // limit of sum (n_i / N_i)^2 for a sphere, in ninths; 0: no sphere
    std::array<int, 3> extent_{};

    int height(int n_x, int n_y, int guess) const;
};

} // namespace whorl

// Decomposition: blocks of planes, rows and kept columns for p_row x p_col ranks. Integers only.
//
//   x-pencil (physical)  z block of column index c, y block of row index r, all x.
//   y-pencil             z block of c, kx of r, all y.
//   z-pencil (state)     kx of r, ky of (r, c), all z.
// If y has one point (flow in the plane x, z), rows of y cannot be divided: an x-pencil has the planes of r
// among those of c instead, and the process grid has one column index.
//
// A row along x holds one complex number for each kx. Between walls in x the coefficients are real (up to a
// constant factor), and an element holds two of them, kx = 2 i and 2 i + 1.
//
// Rank number = c * p_row + r, so that the ranks of a row exchange are neighbours.
// kx are dealt in alternating order (base/dealt.hpp). Row indices then have the same number of kx, which
// determines the cost of y lines and the row exchange. They have nearly the same number of kept columns,
// which determines that of z lines and the column exchange. Each rank of a row index has a block of ky, cut
// so that the largest number of columns is small. If ranks have so few ky that blocks cannot be even, ky are
// dealt as well, in the order of |ky|.
#pragma once

#include <vector>

#include "base/dealt.hpp"
#include "base/macros.hpp"
#include "grid/truncation.hpp"

namespace whorl {

struct Range {
    int begin = 0, end = 0;
    WHORL_INLINE int size() const { return end - begin; }
};

// Part `index` of `total` items divided into `parts` parts whose sizes differ by at most one.
Range even_range(int total, int parts, int index);

// Contiguous blocks whose largest weight is as small as possible. A block is empty only if items are too few.
std::vector<Range> balanced_ranges(const std::vector<long long>& weights, int parts);

struct ProcessGrid {
    int p_row = 1, p_col = 1;
};

// Kept ky in the order 0, 1, ..., K, -K, ..., -1; between walls only the first half.
WHORL_INLINE int signed_index(int index, int extent) {
    return index <= extent ? index : index - (2 * extent + 1);
}
// Index of a signed wavenumber in a full line of n points.
WHORL_INLINE int wrapped(int signed_number, int n) {
    return signed_number >= 0 ? signed_number : signed_number + n;
}

// Signed wavenumber at an index of a full line.
WHORL_INLINE int line_number(int place, int n, bool walls) {
    return walls || place <= n / 2 ? place : place - n;
}

class Pencils {
  public:
    Pencils(const Box& box, const Truncation& truncation, ProcessGrid grid);

    ProcessGrid grid() const { return grid_; }
    Range z(int c) const { return even_range(points_[2], grid_.p_col, c); }
    // Planes of an x-pencil.
    Range point_z(int r, int c) const;
    Range y(int r) const { return flat_y() ? Range{0, 1} : even_range(points_[1], grid_.p_row, r); }
    bool flat_y() const { return points_[1] == 1; }
    // Elements (complex numbers) of a row, and their wavenumbers.
    Dealt elements(int r) const { return deal(kept_elements_, grid_.p_row, r); }
    Dealt kx(int r) const { return deal(kept_x_, grid_.p_row, r, per_element_ == 2); }
    int kept_elements() const { return kept_elements_; }
    // Indices among the kept ky, in increasing order.
    const std::vector<int>& ky(int r, int c) const {
        return ky_[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
    }
    // Number of elements of row index r inside the cylinder at a kept ky.
    int column_length(int r, int ky_index) const;
    // Number of kept columns (element, ky) of a rank; the largest number of a rank and of a row index; the
    // largest number of a rank over the mean.
    long long columns(int r, int c) const;
    long long most_columns() const;
    long long most_row_columns() const;
    double imbalance() const;

  private:
    std::array<int, 3> points_;
    ProcessGrid grid_;
    int kept_x_, per_element_; // wavenumbers
    int kept_elements_;
    std::vector<int> lengths_; // kept elements of each kept ky
    std::vector<std::vector<std::vector<int>>> ky_;
};

// The grids that leave no rank without planes, rows or columns; others work, but with idle ranks.
std::vector<ProcessGrid> allowed_process_grids(const Box& box, const Truncation& truncation, int ranks);
int maximum_ranks(const Box& box, const Truncation& truncation);
// Slabs (p_row = 1) if they fit, otherwise the smallest p_row that fits.
ProcessGrid choose_process_grid(const Box& box, const Truncation& truncation, int ranks);

} // namespace whorl

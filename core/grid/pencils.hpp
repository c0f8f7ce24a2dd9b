// Who holds what: blocks of planes, rows and kept columns for p_row x p_col ranks. Integers only.
//
//   x-pencil (physical)  z block of column index c, y block of row index r, all x
//   y-pencil             z block of c, kx of r, all y
//   z-pencil (state)     kx of r, ky of (r, c), all z
//
// Where y has one point (flow in the plane x, z) there are no rows of y to cut: an x-pencil has the planes of
// r among those of c instead, and one column index.
//
// A row along x holds a complex number for each kx. Between walls in x its coefficients are real (up to a
// constant), and an element holds two of them, kx = 2 i and 2 i + 1.
//
// Rank number = c * p_row + r, so that the ranks of a row exchange are neighbours.
// kx are dealt to and fro (base/dealt.hpp), so that row indices have the same number of kx, which y lines and
// the row exchange pay for, and nearly the same number of kept columns, which z lines and the column exchange
// pay for. Each rank of a row index has a block of ky, cut so that the fullest has few columns; where ranks
// have so few ky that blocks cannot be even, ky are dealt as well, in the order of |ky|.
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

// Part `index` of `total` items cut into `parts` of sizes that differ by at most one.
Range even_range(int total, int parts, int index);

// Contiguous blocks whose largest weight is as small as possible; none is empty while there are items.
std::vector<Range> balanced_ranges(const std::vector<long long>& weights, int parts);

struct ProcessGrid {
    int p_row = 1, p_col = 1;
};

// Kept ky in the order 0, 1, ..., K, -K, ..., -1; between walls only the first half.
WHORL_INLINE int signed_index(int index, int extent) {
    return index <= extent ? index : index - (2 * extent + 1);
}
// Place of a signed wavenumber in a full line of n points.
WHORL_INLINE int wrapped(int signed_number, int n) {
    return signed_number >= 0 ? signed_number : signed_number + n;
}

// The wavenumber at a place of a full line.
WHORL_INLINE int line_number(int place, int n, bool walls) {
    return walls || place <= n / 2 ? place : place - n;
}

class Pencils {
  public:
    Pencils(const Box& box, const Truncation& truncation, ProcessGrid grid);

    ProcessGrid grid() const { return grid_; }
    Range z(int c) const { return even_range(points_[2], grid_.p_col, c); }
    // Of x-pencils.
    Range point_z(int r, int c) const;
    Range y(int r) const { return flat_y() ? Range{0, 1} : even_range(points_[1], grid_.p_row, r); }
    bool flat_y() const { return points_[1] == 1; }
    // Complex numbers of a row, and the wavenumbers they stand for.
    Dealt elements(int r) const { return deal(kept_elements_, grid_.p_row, r); }
    Dealt kx(int r) const { return deal(kept_x_, grid_.p_row, r, per_element_ == 2); }
    int kept_elements() const { return kept_elements_; }
    // Places among the kept ky, rising.
    const std::vector<int>& ky(int r, int c) const {
        return ky_[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
    }
    // Kept elements of row index r at the ky-th kept ky: how many of its own lie inside the cylinder.
    int column_length(int r, int ky_index) const;
    // Kept columns (element, ky) of a rank; of the fullest rank, and of the fullest row index; the fullest
    // rank's over the mean.
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

// Those that leave no rank without planes, rows or columns; others work, with ranks that idle.
std::vector<ProcessGrid> allowed_process_grids(const Box& box, const Truncation& truncation, int ranks);
int maximum_ranks(const Box& box, const Truncation& truncation);
// Slabs (p_row = 1) where they fit, else the smallest p_row that does.
ProcessGrid choose_process_grid(const Box& box, const Truncation& truncation, int ranks);

} // namespace whorl

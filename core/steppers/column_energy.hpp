// The energy of fields, summed by column where a CPU stores their rows (Update), so that a force on all modes
// need not read the fields again:
//
//   E(kx, ky) = 1/2 sum over kz of weight |a|^2, of each field
//
// A column lies in one tile, which adds its rows in order of kz: the bits do not depend on tiles or threads.
#pragma once

#include <algorithm>
#include <vector>

#include "roundtrip/mode.hpp"

namespace whorl {

// Where the rows of fields add their energies.
struct ColumnSums {
    double* of_field = nullptr; // of the first field; null: nothing is summed
    int width = 0;              // columns of one ky
    std::int64_t columns = 0;   // from one field to the next

    ColumnSums from(int field) const {
        return {of_field ? of_field + field * columns : nullptr, width, columns};
    }
    template <class Real> double* of_row(const ModeRow<Real>& row, int field) const {
        return of_field + field * columns + static_cast<std::int64_t>(row.j) * width + row.first;
    }
};

// sums[i] <- sums[i] + 1/2 weight |a_i|^2 for the modes of a row.
template <class Real> void add_energy(const ModeRow<Real>& row, const Complex<Real>* a, double* sums);

// The sums of a rank, with the mean of the fields or without, and whether they are those of the present
// state.
template <class Device, class Real> class ColumnEnergy {
  public:
    ColumnEnergy(const ModeTables<Real>& tables, int height, std::int64_t modes, bool with_mean)
        : tables_(tables), height_(height), modes_(modes), with_mean_(with_mean) {}

    // Sums of no rows yet, for a stage that stores all of them.
    ColumnSums begin(int fields) {
        known_ = false;
        if (width_ == 0) width_ = widest();
        const std::int64_t columns = static_cast<std::int64_t>(width_) * height_;
        sums_.assign(static_cast<std::size_t>(fields * columns), 0.0);
        return {sums_.data(), width_, columns};
    }
    void set_known(bool known) { known_ = known; }

    // Sums all rows of a state, unless it is the one whose rows were summed last.
    void find(Device& device, const Complex<Real>* state, int fields) {
        if (known_) return;
        const ColumnSums sums = begin(fields);
        device.each(height_, [&](int, std::int64_t ky) {
            const int j = static_cast<int>(ky);
            for (int l = 0; l < tables_.nz; ++l) {
                const ModeRow<Real> whole(tables_, 0, j, l, tables_.row(j, l).length);
                const ModeRow<Real> row = whole.slice(!with_mean_ && whole.has_mean() ? 1 : 0, whole.length);
                for (int f = 0; f < fields; ++f)
                    add_energy(row, state + f * modes_ + row.index, sums.of_row(row, f));
            }
        });
        known_ = true;
    }

    double of(int first, int components) const {
        const std::int64_t columns = static_cast<std::int64_t>(width_) * height_;
        double sum = 0.0;
        for (std::int64_t i = first * columns; i < (first + components) * columns; ++i)
            sum += sums_[static_cast<std::size_t>(i)];
        return sum;
    }

  private:
    int widest() const {
        int most = 0;
        for (int j = 0; j < height_; ++j)
            for (int l = 0; l < tables_.nz; ++l) most = std::max(most, int(tables_.row(j, l).length));
        return most;
    }

    ModeTables<Real> tables_;
    int height_;
    std::int64_t modes_;
    bool with_mean_;
    int width_ = 0;
    bool known_ = false;
    std::vector<double> sums_;
};

} // namespace whorl

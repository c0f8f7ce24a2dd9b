// The energy of fields, summed by column where a CPU stores their rows (Update), so that a force on all modes
// need not read the fields again:
//
//   E(kx, ky) = 1/2 sum over kz of weight |a|^2
//
// of each field, or of fields that are summed together, for the real and the imaginary parts.
// A column lies in one tile, which adds its rows in order of kz: the bits do not depend on tiles or threads.
#pragma once

#include <algorithm>
#include <vector>

#include "roundtrip/mode.hpp"

namespace whorl {

// The sums to which the rows of fields add their energies.
struct ColumnSums {
    double* of_field = nullptr; // of the first field; null: nothing is summed
    int width = 0;              // columns of one ky
    std::int64_t stride = 0;    // from one field to the next

    ColumnSums from(int field) const {
        return {of_field ? of_field + field * stride : nullptr, width, stride};
    }
    template <class Real> double* of_row(const ModeRow<Real>& row, int field) const {
        return of_field + field * stride + 2 * (static_cast<std::int64_t>(row.j) * width + row.first);
    }
};

// sums[2 i] and sums[2 i + 1] gain 1/2 weight (Re a_i)^2 and (Im a_i)^2 of the modes of a row, of `count`
// fields that are `stride` apart.
template <class Real>
void add_energy(const ModeRow<Real>& row, const Complex<Real>* a, std::int64_t stride, int count,
                double* sums);

// The sums of a rank, with the mean of the fields or without, and whether they are those of the present
// state.
template <class Device, class Real> class ColumnEnergy {
  public:
    ColumnEnergy(const ModeTables<Real>& tables, int height, std::int64_t modes, bool with_mean)
        : tables_(tables), height_(height), modes_(modes), with_mean_(with_mean) {}

    // Begins sums without rows, for a stage that stores all rows.
    ColumnSums begin(int fields) {
        known_ = false;
        if (width_ == 0) width_ = widest();
        sums_.assign(static_cast<std::size_t>(fields * stride()), 0.0);
        return {sums_.data(), width_, stride()};
    }
    void set_known(bool known) { known_ = known; }

    // Sums all rows of a state, unless it is the one whose rows were summed last; from field f on
    // summed_from(f) together.
    template <class Count>
    void find(Device& device, const Complex<Real>* state, int fields, const Count& summed_from) {
        if (known_) return;
        const ColumnSums sums = begin(fields);
        device.each(height_, [&](int, std::int64_t ky) {
            const int j = static_cast<int>(ky);
            for (int l = 0; l < tables_.nz; ++l) {
                const ModeRow<Real> whole(tables_, 0, j, l, tables_.row(j, l).length);
                const ModeRow<Real> row = whole.slice(!with_mean_ && whole.has_mean() ? 1 : 0, whole.length);
                for (int f = 0; f < fields; f += summed_from(f))
                    add_energy(row, state + f * modes_ + row.index, modes_, summed_from(f),
                               sums.of_row(row, f));
            }
        });
        known_ = true;
    }

    double of(int first, int components) const {
        double sum = 0.0;
        for (std::int64_t i = first * stride(); i < (first + components) * stride(); ++i)
            sum += sums_[static_cast<std::size_t>(i)];
        return sum;
    }

  private:
    std::int64_t stride() const { return 2LL * width_ * height_; }
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

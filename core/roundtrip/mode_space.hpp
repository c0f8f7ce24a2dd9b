// The modes of this rank: their wavenumbers, the table of their rows in the state, and the phases of a
// shifted grid.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "device/buffer.hpp"
#include "grid/row_table.hpp"
#include "roundtrip/layout.hpp"
#include "roundtrip/mode_values.hpp"

namespace whorl {

namespace kernels {
// phases[i] = exp(2 pi i numbers[i] cells / points): one axis of a Shift by `cells` cells.
template <class Real> struct Phases {
    const int* numbers;
    Complex<Real>* phases;
    double cells;
    int points, length;

    WHORL_INLINE const Phases& row(std::int64_t) const { return *this; }
    WHORL_INLINE void operator()(std::int64_t i) const {
        const double phase = 2.0 * std::numbers::pi * numbers[i] * cells / points;
        phases[i] = {static_cast<Real>(std::cos(phase)), static_cast<Real>(std::sin(phase))};
    }
};
} // namespace kernels

template <class Device, class Real> class ModeSpace {
  public:
    ModeSpace(const Box& box, const Truncation& truncation, const Layout& layout, const RowTable& table,
              Device& device);

    ModeTables<Real> tables() const;
    const Real* kx() const { return kx_.data(); }
    const Real* all_ky() const { return all_ky_.data(); } // all kept ky, of all ranks

    // Sets the offset, in fractions of a grid cell, of the grid that modes are transformed to; all zero:
    // none.
    void shift(std::array<double, 3> cells);
    bool shifted() const { return shifted_; }
    std::array<double, 3> offset() const { return offset_; }
    kernels::Shift<Real> phases() const { return {phases_[0].data(), phases_[1].data(), phases_[2].data()}; }

  private:
    using Memory = typename Device::Memory;
    template <class T> using Buffer = device::Buffer<T, Memory>;

    const Layout& layout_;
    Device& device_;
    Buffer<Real> kx_, ky_, kz_, all_ky_;
    std::array<Buffer<int>, 3> numbers_; // signed wavenumbers of kx_, ky_, kz_
    std::array<Buffer<Complex<Real>>, 3> phases_;
    bool shifted_ = false;
    std::array<double, 3> offset_{};
    device::Table<Row, Memory> rows_;
};

} // namespace whorl

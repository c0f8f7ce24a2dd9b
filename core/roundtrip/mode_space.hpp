// The modes of this rank: their wavenumbers, where a row of them lies in the state, and the phases of a
// shifted grid.
#pragma once

#include <array>

#include "device/buffer.hpp"
#include "grid/row_table.hpp"
#include "roundtrip/kernels.hpp"
#include "roundtrip/layout.hpp"

namespace whorl {

template <class Device, class Real> class ModeSpace {
  public:
    ModeSpace(const Box& box, const Truncation& truncation, const Layout& layout, const RowTable& table,
              Device& device);

    ModeTables<Real> tables() const;
    const Real* kx() const { return kx_.data(); }
    const Real* all_ky() const { return all_ky_.data(); } // kept ones, of all ranks

    // The offset, in fractions of a grid cell, of the grid whose points the modes go to; all zero: none.
    void shift(std::array<double, 3> cells);
    bool shifted() const { return shifted_; }
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
    device::Table<Row, Memory> rows_;
};

} // namespace whorl

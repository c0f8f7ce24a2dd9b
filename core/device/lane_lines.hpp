// Complex lines that lie side by side (distance 1) transformed together, a vector of lanes at a time: no
// shuffle, every operation full width. Stockham's self-sorting passes of mixed radix (Van Loan, Computational
// Frameworks for the FFT, section 1.7), the first reading the lines where they are, the last writing them
// back.
#pragma once

#include <vector>

#include "device/buffer.hpp"
#include "device/butterflies.hpp"
#include "device/lines.hpp"

namespace whorl::device {

template <class Real> class LaneLines final : public Lines<Real> {
  public:
    LaneLines(LineShape shape, Direction direction);
    void execute(Complex<Real>* data) const override;

    // Rows are run over in whole vectors of this many complex numbers or half of them, so howmany rounded up
    // to `half_lanes` numbers of each row must belong to the lines.
    static constexpr int half_lanes = 32 / static_cast<int>(sizeof(Real));

  private:
    // y[q + s (r p + u)] = w^(p u) sum_t x[q + s (p + m t)] exp(-2 pi i t u / r),  w = exp(-2 pi i / (m r))
    struct Pass {
        int radix, m, s;
        std::vector<Real> twiddles; // [p][u - 1], cos then sin
    };
    template <int bytes> void group(Complex<Real>* data) const;

    LineShape shape_;
    Direction direction_;
    std::vector<Pass> passes_;
};

// Radices of the passes: odd factors, then powers of two as even as possible.
std::vector<int> radices(int n);

} // namespace whorl::device

// Complex lines that lie side by side (distance 1) transformed together, a vector of lanes at a time: no
// shuffle, every operation full width. Stockham's self-sorting passes of mixed radix (Van Loan, Computational
// Frameworks for the FFT, section 1.7), the first reading the lines where they are, the last writing them
// where they go.
#pragma once

#include <vector>

#include "device/buffer.hpp"
#include "device/butterflies.hpp"
#include "device/lines.hpp"

namespace whorl::device {

template <class Real> class LaneLines final : public Lines<Real> {
  public:
    LaneLines(LineShape shape, Direction direction);
    // Rows at `data` are run over in whole vectors: howmany rounded up to `half_lanes` numbers of each row
    // there belong to the lines.
    void execute(Complex<Real>* data) const override;
    void gather(const LineRow<Real>* from, Complex<Real>* data, const LineRow<Real>* next) const override;
    void scatter(Complex<Real>* data, const LineRow<Real>* to) const override;

    // Complex numbers of the narrower of the two vectors used.
    static constexpr int half_lanes = 32 / static_cast<int>(sizeof(Real));

  private:
    // y[q + s (r p + u)] = w^(p u) sum_t x[q + s (p + m t)] exp(-2 pi i t u / r),  w = exp(-2 pi i / (m r))
    struct Pass {
        int radix, m, s;
        std::vector<Real> twiddles; // [p][u - 1], cos then sin
    };
    // One vector of lanes through all passes.
    template <int bytes, class From, class To> void group(const From& from, const To& to) const;
    // lanes<bytes, swapped>(lane, most): vectors of lanes from `lane` while below `most`; returns the lane
    // after.
    template <class Lanes> void vectors(const Lanes& lanes) const;
    template <int bytes, bool swapped>
    int gather_lanes(const LineRow<Real>* from, Complex<Real>* data, const LineRow<Real>* next, int lane,
                     int most) const;
    template <int bytes, bool swapped>
    int scatter_lanes(Complex<Real>* data, const LineRow<Real>* to, int lane, int most) const;

    Direction direction_;
    std::vector<Pass> passes_;
};

// Radices of the passes: odd factors, then powers of two as even as possible.
std::vector<int> radices(int n);

} // namespace whorl::device

// Complex lines that lie side by side (distance 1) transformed together, a vector of lanes at a time: no
// shuffle, every operation full width. The first step reads the lines where they lie, the last writes the
// results where they belong.
#pragma once

#include "base/macros.hpp"
#include "device/fold.hpp"
#include "device/lane_steps.hpp"
#include "device/line_plan.hpp"

namespace whorl::device {

// Fetches rows that are read soon into the second cache, some cache lines at a time between other work.

// Rows are fetched in the order of memory, in which the processor's own prefetching helps.
template <class Real> class Fetch {
  public:
    Fetch() = default;
    explicit Fetch(RowsAhead<Real> rows) : row_(rows.data()), end_(rows.data() + rows.size()) {}

    WHORL_INLINE void operator()(int cache_lines) {
        if (row_ == end_) return;
        for (int i = 0; i < cache_lines; ++i) __builtin_prefetch(row_->data + at_ + i * of_line, 0, 2);
        at_ += cache_lines * of_line;
        if (at_ < row_->length) return;
        at_ = 0;
        do ++row_;
        while (row_ != end_ && row_->length == 0);
    }

  private:
    static constexpr int of_line = 64 / static_cast<int>(sizeof(Complex<Real>));
    const LineRow<Real>* row_ = nullptr;
    const LineRow<Real>* end_ = nullptr;
    int at_ = 0;
};

template <class Real> class LanePlan final : public LinePlan<Real> {
  public:
    LanePlan(LineShape shape, Direction direction);
    // Rows at `data` are read and written in whole vectors: each must have room for howmany numbers, rounded
    // up to a multiple of `half_lanes`.
    void execute(Complex<Real>* data, Complex<Real>* scratch) const override;
    void gather(const LineRow<Real>* from, Complex<Real>* data, RowsAhead<Real> next,
                Complex<Real>* scratch) const override;
    void scatter(Complex<Real>* data, const LineRow<Real>* to, Complex<Real>* scratch) const override;

    static constexpr int lanes = VectorOf<Real, vector_bytes>::lanes;
    // The lanes of the vector for the rest: rows are multiples of 8 complex numbers.
    static constexpr int half_lanes = lanes > 8 ? lanes / 2 : lanes;

  private:
    // Calls of_width<bytes>(lane, most), which transforms vectors of lanes from `lane` while it is below
    // `most` and returns the next lane.
    template <class Lanes> void vectors(const Lanes& of_width) const;
    template <int bytes, bool swapped>
    int gather_lanes(const LineRow<Real>* from, Complex<Real>* data, Fetch<Real>& next,
                     Complex<Real>* scratch, int lane, int most) const;
    template <int bytes>
    int scatter_lanes(Complex<Real>* data, const LineRow<Real>* to, Complex<Real>* scratch, int lane,
                      int most) const;

    // Transforms one vector of lanes from rows to rows; all of `from` is read before `to` is written.
    template <bool swapped, class Value, class From, class To>
    void transform(const From& from, const To& to, Value* scratch) const;

    Direction direction_;
    LaneSteps<Real> steps_;
    WallFold<Real> fold_;
    std::vector<int> positions_; // of the results of the last step when it works in place
};

} // namespace whorl::device

// Fetches rows that are read soon into the second cache, some cache lines at a time between other work.
#pragma once

#include "base/macros.hpp"
#include "device/line_plan.hpp"

namespace whorl::device {

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

} // namespace whorl::device

// The stage of rows on any device: the shares of all row peers, and x lines of any kind, with pairs of rows
// as complex lines.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "roundtrip/axis_plans.hpp"
#include "roundtrip/line_choice.hpp"
#include "roundtrip/row_kernels.hpp"
#include "roundtrip/stage_context.hpp"

namespace whorl {

// Rows of some planes, `count` from number `first` on.
template <class Real> struct RowsInHand {
    const device::RowShare<Real>* shares; // by row peers
    kernels::RowOrder order;
    int first, count;

    kernels::RowPairs pairs() const { return order.pairs(first, count); }
};

template <class Device, class Real> class RowPairLines : protected StageContext<Device, Real> {
  public:
    // Products are multiplied by `scale` on their way back.
    RowPairLines(const StageContext<Device, Real>& of, double scale);

    const device::RowShare<Real>* shares(int executor, int index, int batch);

  protected:
    using Base = StageContext<Device, Real>;
    using Base::device_, Base::exchanges_, Base::executors_, Base::layout_, Base::parities_;
    using Value = Complex<Real>;
    using Plan = typename Device::template LinePlan<Real>;
    using ByPairs = std::map<int, std::unique_ptr<Plan>>; // by the number of pairs

    void make_pair_plans(device::LineKind kind, const std::set<int>& planes);
    template <class Pass> void through_pairs(const Pass& pass, int executor, const RowsInHand<Real>& rows);

    Real scale_;

  private:
    using PairLines = kernels::LinesOfPairs<Real>;

    PairLines lines_of_pairs(int executor, bool out, const kernels::RowPairs& rows);
    template <bool walled>
    void merge(int executor, const PairLines& lines, int variables, const RowsInHand<Real>& rows);
    template <bool walled>
    void separate(int executor, const PairLines& lines, int variables, const RowsInHand<Real>& rows);
    void lines_in(int executor, const PairLines& lines, int variables, const RowsInHand<Real>& rows);
    void lines_out(int executor, const PairLines& lines, int variables, const RowsInHand<Real>& rows);
    template <class Pass>
    void work_at_points(const Pass& pass, int executor, const kernels::RowOrder& order, const PairLines& in,
                        const PairLines& out);

    template <class Pass>
    void work_on_rows(const Pass& pass, int executor, const kernels::RowOrder& order, const PairLines& in,
                      const PairLines& out);

    std::vector<std::vector<device::RowShare<Real>>> shares_; // by executors, by row peers
    AxisPlans<ByPairs> in_, out_;
};

template <class Device, class Real>
template <class Pass>
void RowPairLines<Device, Real>::through_pairs(const Pass& pass, int executor, const RowsInHand<Real>& rows) {
    const PairLines in = lines_of_pairs(executor, false, rows.pairs()),
                    out = lines_of_pairs(executor, true, rows.pairs());
    if constexpr (Pass::inputs > 0) lines_in(executor, in, widths_of(pass).inputs, rows);
    if constexpr (WorksOnRows<Pass>)
        work_on_rows(pass, executor, rows.order, in, out);
    else
        work_at_points(pass, executor, rows.order, in, out);
    if constexpr (Pass::products > 0) lines_out(executor, out, widths_of(pass).products, rows);
}

// `in` and `out` may be the same lines: parts are evaluated from the last to the first, and the products of
// each are stored after all inputs that are still needed.
template <class Device, class Real>
template <class Pass>
void RowPairLines<Device, Real>::work_at_points(const Pass& pass, int executor,
                                                const kernels::RowOrder& order, const PairLines& in,
                                                const PairLines& out) {
    const auto scope = executors_.timed(executor, Task::point);
    const std::int64_t pitch = 2LL * in.pitch, length = 2LL * in.nx;
    if constexpr (Pass::maxima > 0)
        if (pass.wants_maxima())
            device_.raise(
                executor, in.live_pairs(),
                kernels::Measured<Real, Pass>{pass, in.reals(0, 0), in.real_stride(), pitch, length});
    each_part(pass, [&]<class Sub>(const Sub& part, const Firsts& firsts) {
        device_.for_each(executor, in.live_pairs(),
                         kernels::PartPoints<Real, Sub>{part, in.reals(0, 0), in.reals(firsts.input, 0),
                                                        out.reals(firsts.product, 0), in.real_stride(),
                                                        out.real_stride(), pitch, length});
    });
    device_.for_each(executor, in.live_pairs(), kernels::PairPoints<Real, Pass>{pass, in, out, order});
}

// A pair is a block of two rows. On a GPU `in` and `out` are the same lines (workspace.cpp).
template <class Device, class Real>
template <class Pass>
void RowPairLines<Device, Real>::work_on_rows(const Pass& pass, int executor, const kernels::RowOrder& order,
                                              const PairLines& in, const PairLines& out) {
    const auto scope = executors_.timed(executor, Task::point);
    if constexpr (Device::streams) {
        const kernels::PairWork<Real, Pass> work{pass, in, order};
        if constexpr (CountsAtRunTime<Pass>)
            if (pass.wants_maxima()) device_.raise(executor, in.live_pairs(), work);
        device_.for_each(executor, in.live_pairs(), work);
    } else {
        const int from = 0;
        for (int pair = 0; pair < in.live_pairs(); ++pair) {
            const int rows = in.row(pair, 0) == in.row(pair, 1) ? 1 : 2;
            const device::RowPoints<Real> block{
                in.reals(0, pair), in.real_stride(), 2, rows, &from, in.nx, 1, in.nx, 0};
            pass.template work<Device>(executor, block, out.reals(0, pair), out.real_stride(),
                                       order.first_point(in.row(pair, 0)));
        }
    }
}

} // namespace whorl

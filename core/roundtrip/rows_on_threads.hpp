// The stage of rows on threads (stages.hpp): rows turned into lanes of vectors (device/row_plan.hpp), or
// pairs of rows where another kind of lines is chosen.
#pragma once

#include "device/cpu.hpp"
#include "device/row_plan.hpp"
#include "roundtrip/pass.hpp"
#include "roundtrip/row_pairs.hpp"

namespace whorl {

template <class Device, class Real> class RowsOnThreads : public RowPairLines<Device, Real> {
  public:
    using RowPairLines<Device, Real>::RowPairLines;

    void make_plans(const LineChoice& choice, const std::set<int>& planes) {
        row_plan_.reset();
        if (choice.x == device::LineKind::own)
            row_plan_ =
                std::make_unique<device::RowPlan<Real>>(layout_.nx, layout_.kept_x, layout_.per_element == 2);
        else
            this->make_pair_plans(choice.x, planes);
    }

    // Whether points come in blocks of rows, as a pass's taps are shown them.
    bool shows_points() const { return row_plan_ != nullptr; }

    template <class Pass, class Meanwhile>
    void through(const Pass& pass, int executor, const RowsInHand<Real>& rows, const Meanwhile& meanwhile) {
        row_plan_ ? through_lanes(pass, executor, rows, meanwhile)
                  : this->through_pairs(pass, executor, rows);
    }

  private:
    using Base = RowPairLines<Device, Real>;
    using Base::device_, Base::executors_, Base::layout_, Base::parities_, Base::scale_;

    template <class Pass, class Meanwhile>
    void through_lanes(const Pass& pass, int executor, const RowsInHand<Real>& rows,
                       const Meanwhile& meanwhile);
    template <class Pass>
    void work_at_points(const Pass& pass, int executor, const device::RowPoints<Real>& points,
                        const Point& first);
    template <class Pass, class F> static void each_tap(const Pass& pass, const F& f) {
        if constexpr (HasTaps<Pass>)
            if (pass.taps)
                for (PointTap<Real>* const tap : *pass.taps) f(*tap);
    }

    std::unique_ptr<device::RowPlan<Real>> row_plan_; // null: pairs of rows
};

template <class Device, class Real>
template <class Pass, class Meanwhile>
void RowsOnThreads<Device, Real>::through_lanes(const Pass& pass, int executor, const RowsInHand<Real>& rows,
                                                const Meanwhile& meanwhile) {
    using Measured = kernels::Measured<Real, Pass>;
    constexpr bool is_measured = Pass::maxima > 0 && !WorksOnRows<Pass>;
    Timers& timers = executors_.timers(executor);
    const Widths widths = widths_of(pass);
    const Point first = rows.order.first_point(rows.first);
    device::Maxima<Measured> maxima;
    const bool measures = is_measured && pass.wants_maxima();
    const auto at_points = [&](const device::RowPoints<Real>& points) {
        meanwhile(1LL * points.points * points.count);
        const Timers::Scope scope(timers, Task::point, Task::x_lines);
        if constexpr (is_measured)
            if (measures)
                maxima.add(
                    Measured{pass, points.data, points.stride, 0, 1LL * points.points * points.rows}.row(0));
        each_tap(pass, [&](PointTap<Real>& tap) { tap.take(executor, points, first); });
        if constexpr (WorksOnRows<Pass>)
            pass.template work<Device>(executor, points, points.data, points.stride, first);
        else
            work_at_points(pass, executor, points, first);
    };
    {
        const Timers::Scope scope(timers, Task::x_lines);
        row_plan_->through(
            {rows.shares, layout_.grid.p_row, rows.first, rows.count},
            {widths.inputs, widths.products, parities_.inputs.data(), parities_.products.data()}, scale_,
            executors_.behind_plane(executor), at_points);
    }
    {
        const Timers::Scope scope(timers, Task::point);
        each_tap(pass, [&](PointTap<Real>& tap) { tap.end_rows(executor, first); });
    }
    if (measures) device_.raise(executor, maxima);
}

template <class Device, class Real>
template <class Pass>
void RowsOnThreads<Device, Real>::work_at_points(const Pass& pass, int executor,
                                                 const device::RowPoints<Real>& points, const Point& first) {
    const kernels::LanePoints<Real, Pass> kernel{pass, points, first};
    each_part(pass, [&]<class Sub>(const Sub& part, const Firsts& firsts) {
        const auto variable = [&](int v) { return points.data + v * points.stride; };
        device_.for_each(executor, kernel.kernel_rows(),
                         kernels::PartPoints<Real, Sub>{part, points.data, variable(firsts.input),
                                                        variable(firsts.product), points.stride,
                                                        points.stride, kernel.pitch(), kernel.length()});
    });
    device_.for_each(executor, kernel.kernel_rows(), kernel);
    if (!kernel.whole())
        device_.for_each(executor, 1LL * widths_of(pass).products * points.points,
                         kernels::LanePadding<Real>{points});
}

} // namespace whorl

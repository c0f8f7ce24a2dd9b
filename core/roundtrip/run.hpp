// RoundTrip::run and its functions for one batch; included where passes are instantiated.
#pragma once

#include "roundtrip/roundtrip.hpp"

namespace whorl {

template <class Device, class Real>
template <class Pass>
std::array<double, 2> RoundTrip<Device, Real>::run(Pass& pass) {
    static_assert(Pass::maxima <= 2, "a pass measures at most two maxima");
    Timers::Scope total(exchanges_.timer(), Task::total);
    const Widths widths = widths_of(pass);
    WHORL_REQUIRE(widths.inputs <= layout_.column_variables && widths.fluxes <= layout_.column_variables &&
                      widths.inputs <= layout_.row_variables && widths.products <= layout_.row_variables,
                  "a pass carries more variables than the round trip was planned for.");
    find_parities(parities_, pass, layout_.walls);
    const bool measures = Pass::maxima > 0 && pass.wants_maxima();
    if (measures) device_.forget_raised(); // a pass that ended with an error may have left some
    if constexpr (Pass::inputs > 0) columns_.inwards(pass);

    const Legs legs =
        exchanges_.legs(Pass::inputs > 0 ? widths.inputs : 0, Pass::products > 0 ? widths.products : 0,
                        Pass::fluxes > 0 ? widths.fluxes : 0);
    batches(pass, legs);

    const auto largest = reduce_maxima(measures);
    if constexpr (requires { pass.begin_store(largest); }) pass.begin_store(largest);
    if constexpr (Pass::fluxes > 0) columns_.outwards(pass);
    if (exchanges_.timer().enabled) device_.finish();
    throw_if(executors_.failure);
    return largest;
}

// Brings the batches from the columns to the points and back. If row exchanges do not block, each stage is
// one batch later than the stage before it, so that an exchange overlaps with another stage. No exchange is
// under way during begin_batch() and end_batch(), which may throw or use MPI. If a pass has neither these nor
// exchanges, the planes of all batches are one loop.
template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::batches(Pass& pass, const Legs& legs) {
    constexpr bool calls_out =
        requires { pass.begin_batch(Range{}); } || requires { pass.end_batch(Range{}); };
    if (!calls_out && executors_.workspace.planes == 1 && layout_.grid.p_row * layout_.grid.p_col == 1)
        return whole_planes(pass, layout_.z);
    const int count = layout_.batches, lag = layout_.row_batches > 1 && !calls_out ? 1 : 0;
    const bool rows = layout_.grid.p_row > 1;
    const auto start_in = [&](int b) { exchanges_.start(*legs.column_in, b); };
    const auto is_batch = [&](int b) { return b >= 0 && b < count; };
    if (legs.column_in && !calls_out) start_in(0);
    for (int ahead = 0; ahead < count + 2 * lag; ++ahead) {
        const int behind = ahead - lag, last = behind - lag;
        if (is_batch(ahead)) {
            if (legs.column_in) {
                if (calls_out)
                    start_in(ahead);
                else if (is_batch(ahead + 1))
                    start_in(ahead + 1);
                exchanges_.wait(*legs.column_in, ahead);
            }
            if (rows) towards_rows(pass, ahead, legs);
        }
        if (is_batch(behind))
            rows ? exchanged_rows(pass, behind, legs) : whole_planes(pass, layout_.planes(behind));
        if (is_batch(last)) {
            if (rows) back_from_rows(pass, last, legs);
            if (legs.column_out) exchanges_.start(*legs.column_out, last);
            if (legs.column_out && calls_out) exchanges_.wait(*legs.column_out, last);
        }
    }
    if (legs.column_out && !calls_out)
        for (int b = 0; b < count; ++b) exchanges_.wait(*legs.column_out, b);
    exchanges_.settle();
}

// Does the work on some planes between a pass's begin_batch() and end_batch().
template <class Device, class Real>
template <class Pass, class Work>
void RoundTrip<Device, Real>::in_batch(Pass& pass, const Range& all, const Work& work) {
    if constexpr (requires { pass.begin_batch(all); } || requires { pass.end_batch(all); })
        exchanges_.settle();
    if constexpr (requires { pass.begin_batch(all); }) {
        device_.finish(); // the batch before may still use the array that this fills
        pass.begin_batch(all);
    }
    work();
    if constexpr (requires { pass.end_batch(all); }) {
        device_.finish();
        pass.end_batch(all);
    }
}

// Transforms groups of planes through y, x and the points, and back, if a rank has whole planes (p_row = 1).
template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::whole_planes(Pass& pass, const Range& all) {
    const auto through = [&](int executor, std::int64_t item) {
        const Range z = planes_.group(all, item);
        if (executor == 0) exchanges_.progress();
        planes_.inwards(pass, executor, z);
        const auto meanwhile = planes_.fetch_during(executor, z, all, widths_of(pass).inputs);
        const kernels::Planes<Real> p = planes_.planes(executor, z);
        const device::RowShare<Real> share{p.data, p.stride, p.pitch, layout_.elements, p.pitch};
        const kernels::RowOrder order{0, z.begin, z.size(), true};
        const int rows = layout_.ny * z.size(), together = executors_.workspace.rows;
        for (int y = 0; y < rows; y += together)
            rows_.through(pass, executor, {&share, order, y, std::min(together, rows - y)}, meanwhile);
        planes_.outwards(pass, executor, z);
    };
    in_batch(pass, all, [&] { device_.each(planes_.groups(all), through); });
}

// Transforms y lines and starts the exchange of rows, if rows are exchanged (p_row > 1).
template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::towards_rows(Pass& pass, int b, const Legs& legs) {
    if constexpr (Pass::inputs > 0) {
        const Range all = layout_.planes(b);
        device_.each(planes_.groups(all), [&](int executor, std::int64_t item) {
            if (executor == 0) exchanges_.progress();
            planes_.inwards(pass, executor, planes_.group(all, item));
            planes_.template move_rows<true>(executor, planes_.group(all, item), b, widths_of(pass).inputs);
        });
        exchanges_.start(*legs.row_in, b);
    }
}

// x lines and points of own rows, between the two exchanges of rows.
template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::exchanged_rows(Pass& pass, int b, const Legs& legs) {
    const Range all = layout_.point_planes(b);
    if constexpr (Pass::inputs > 0) exchanges_.wait(*legs.row_in, b);
    const int own = layout_.y.size(), together = executors_.workspace.planes;
    const int blocks =
        own == 0 ? 0 : (together * own + executors_.workspace.rows - 1) / executors_.workspace.rows;
    const auto through = [&](int executor, std::int64_t item) {
        if (executor == 0) exchanges_.progress();
        const Range z = planes_.group(all, item / blocks);
        const int y = static_cast<int>(item % blocks) * executors_.workspace.rows;
        const kernels::RowOrder order{layout_.y.begin, z.begin, own, false};
        rows_.through(pass, executor,
                      {rows_.shares(executor, z.begin - all.begin, b), order, y,
                       std::min(executors_.workspace.rows, z.size() * own - y)},
                      typename PlaneStage<Device, Real>::Meanwhile{});
    };
    in_batch(pass, all, [&] { device_.each(1LL * planes_.groups(all) * blocks, through); });
    if constexpr (Pass::products > 0) exchanges_.start(*legs.row_out, b);
}

// y lines of the products, when they have come back.
template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::back_from_rows(Pass& pass, int b, const Legs& legs) {
    if constexpr (Pass::products > 0) {
        const Range all = layout_.planes(b);
        exchanges_.wait(*legs.row_out, b);
        device_.each(planes_.groups(all), [&](int executor, std::int64_t item) {
            if (executor == 0) exchanges_.progress();
            planes_.template move_rows<false>(executor, planes_.group(all, item), b,
                                              widths_of(pass).products);
            planes_.outwards(pass, executor, planes_.group(all, item));
        });
    }
}

} // namespace whorl

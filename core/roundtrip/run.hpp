// RoundTrip::run and what it does batch by batch; included where passes are instantiated.
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
    if constexpr (Pass::inputs > 0) columns_.inwards(pass);

    const Legs legs =
        exchanges_.legs(Pass::inputs > 0 ? widths.inputs : 0, Pass::products > 0 ? widths.products : 0,
                        Pass::fluxes > 0 ? widths.fluxes : 0);
    batches(pass, legs);

    const auto largest = reduce_maxima(Pass::maxima > 0 && pass.wants_maxima());
    if constexpr (requires { pass.begin_store(largest); }) pass.begin_store(largest);
    if constexpr (Pass::fluxes > 0) columns_.outwards(pass);
    if (exchanges_.timer().enabled) device_.finish();
    throw_if(executors_.failure);
    return largest;
}

// Batch by batch from the columns to the points and back. Where rows are exchanged without blocking,
// each stage is a batch behind the one before it, so that an exchange lasts as long as another stage. While a
// pass calls out, which may throw or use MPI, nothing is under way. Where a pass neither exchanges nor calls
// out, the planes of all batches follow each other without a halt.
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
    for (int step = 0; step < count + 2 * lag; ++step) {
        const int behind = step - lag, last = behind - lag;
        if (is_batch(step)) {
            if (legs.column_in) {
                if (calls_out)
                    start_in(step);
                else if (is_batch(step + 1))
                    start_in(step + 1);
                exchanges_.wait(*legs.column_in, step);
            }
            if (rows) towards_rows(pass, step, legs);
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
}

// Where a rank has whole planes: some at a time through y, x and the points, and back.
template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::whole_planes(Pass& pass, const Range& all) {
    if constexpr (requires { pass.begin_batch(all); }) {
        device_.finish(); // the batch before may still be at work on what this fills
        pass.begin_batch(all);
    }
    device_.each(planes_.groups(all), [&](int executor, std::int64_t item) {
        const Range z = planes_.group(all, item);
        if (executor == 0) exchanges_.progress();
        planes_.inwards(pass, executor, z);
        const auto meanwhile = planes_.fetch_during(pass, executor, z, all);
        const kernels::Planes<Real> p = planes_.planes(executor, z);
        const device::RowShare<Real> share{p.data, p.stride, p.pitch, layout_.elements, p.pitch};
        const kernels::RowOrder order{0, z.begin, z.size(), true};
        const int rows = layout_.ny * z.size(), together = executors_.workspace.rows;
        for (int y = 0; y < rows; y += together)
            rows_.through(pass, executor, {&share, order, y, std::min(together, rows - y)}, meanwhile);
        planes_.outwards(pass, executor, z);
    });
    if constexpr (requires { pass.end_batch(all); }) {
        device_.finish();
        pass.end_batch(all);
    }
}

// Else in three stages: y lines and off to the row's ranks;
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

// x lines and points of the own rows;
template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::exchanged_rows(Pass& pass, int b, const Legs& legs) {
    const Range all = layout_.point_planes(b);
    if constexpr (Pass::inputs > 0) exchanges_.wait(*legs.row_in, b);
    if constexpr (requires { pass.begin_batch(all); }) {
        device_.finish(); // the batch before may still be at work on what this fills
        pass.begin_batch(all);
    }
    const int own = layout_.y.size(), together = executors_.workspace.planes;
    const int chunks =
        own == 0 ? 0 : (together * own + executors_.workspace.rows - 1) / executors_.workspace.rows;
    device_.each(1LL * planes_.groups(all) * chunks, [&](int executor, std::int64_t item) {
        if (executor == 0) exchanges_.progress();
        const Range z = planes_.group(all, item / chunks);
        const int y = static_cast<int>(item % chunks) * executors_.workspace.rows;
        const kernels::RowOrder order{layout_.y.begin, z.begin, own, false};
        rows_.through(pass, executor,
                      {rows_.shares(executor, z.begin - all.begin, b), order, y,
                       std::min(executors_.workspace.rows, z.size() * own - y)},
                      [](std::int64_t) {});
    });
    if constexpr (requires { pass.end_batch(all); }) {
        device_.finish();
        pass.end_batch(all);
    }
    if constexpr (Pass::products > 0) exchanges_.start(*legs.row_out, b);
}

// and y lines of what came back.
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

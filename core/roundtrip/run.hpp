// RoundTrip::run and its stages; included where passes are instantiated.
#pragma once

#include <limits>

#include "roundtrip/roundtrip.hpp"
#include "roundtrip/run_walls.hpp"

namespace whorl {

template <class Real> template <class Pass> std::array<double, 2> RoundTrip<Real>::run(Pass& pass) {
    static_assert(Pass::maxima <= 2, "a pass measures at most two maxima");
    Timers::Scope total(exchange_timer_, Part::total);
    const Widths widths = widths_of(pass);
    WHORL_REQUIRE(widths.inputs <= layout_.column_variables && widths.fluxes <= layout_.column_variables &&
                      widths.inputs <= layout_.row_variables && widths.products <= layout_.row_variables,
                  "a pass carries more variables than the round trip was planned for.");
    find_parities(pass, widths);
    for (auto& largest : maxima_) largest = {0.0, 0.0};
    if constexpr (Pass::inputs > 0) columns_in(pass);

    const Legs legs = legs_of(Pass::inputs > 0 ? widths.inputs : 0, Pass::products > 0 ? widths.products : 0,
                              Pass::fluxes > 0 ? widths.fluxes : 0);
    batches(pass, legs);

    const auto largest = reduce_maxima(Pass::maxima > 0 && pass.wants_maxima());
    if constexpr (requires { pass.begin_store(largest); }) pass.begin_store(largest);
    if constexpr (Pass::fluxes > 0) columns_out(pass);
    return largest;
}

template <class Real> template <class Pass> void RoundTrip<Real>::columns_in(const Pass& pass) {
    const ModeTables<Real> tables = modes();
    const int inputs = widths_of(pass).inputs;
    const kernels::Shift<Real> shift = shift_tables();
    device_.each(static_cast<std::int64_t>(tiles_.size()), [&](int executor, std::int64_t item) {
        Timers& timers = executors_[static_cast<std::size_t>(executor)].timers;
        const kernels::Tile<Real> t = tile(executor, item);
        {
            Timers::Scope scope(timers, Part::modes);
            for (const kernels::Segment& segment : segments(item)) {
                const auto load = [&]<class Own>(const Own& own, const kernels::Tile<Real>& to, int first) {
                    if constexpr (meets_walls<Own>())
                        if (layout_.per_element == 2) return load_reals(own, tables, to, segment, first);
                    if (shifted_)
                        device::Cpu::for_each(
                            layout_.kept_z, kernels::Load<Real, Own, true>{own, tables, to, segment, shift});
                    else
                        device::Cpu::for_each(
                            layout_.kept_z, kernels::Load<Real, Own, false>{own, tables, to, segment, shift});
                };
                load(pass, t, 0);
                each_part(pass, [&](const auto& part, int s) {
                    const int first = Pass::inputs + s * part.inputs;
                    load(part, t.from(first), first);
                });
                const int end = segment.lane + segment.count;
                const int spare = end == t.count ? lane_step * tile_width(t.count) - end : 0;
                device::Cpu::for_each(1LL * inputs * layout_.kept_z,
                                      kernels::LoadPadding<Real>{tables, t, segment, spare});
            }
        }
        z_lines_in(executor, t, inputs);
    });
}

template <class Real> template <class Pass> void RoundTrip<Real>::columns_out(const Pass& pass) {
    const ModeTables<Real> tables = modes();
    const kernels::Shift<Real> shift = shift_tables();
    device_.each(static_cast<std::int64_t>(tiles_.size()), [&](int executor, std::int64_t item) {
        Timers& timers = executors_[static_cast<std::size_t>(executor)].timers;
        const kernels::Tile<Real> t = tile(executor, item);
        z_lines_out(executor, item, widths_of(pass).fluxes);
        Timers::Scope scope(timers, Part::modes);
        each_part(pass, [&](const auto& part, int s) {
            const int first = Pass::fluxes + s * part.fluxes;
            store_tile(part, item, t.from(first), first, tables, shift);
        });
        store_tile(pass, item, t, 0, tables, shift);
    });
}

template <class Real>
template <class Pass>
void RoundTrip<Real>::store_tile(const Pass& pass, std::int64_t item, const kernels::Tile<Real>& t,
                                 int first_flux, const ModeTables<Real>& tables,
                                 const kernels::Shift<Real>& shift) {
    const auto store = [&]<class Result>(const Result& result) {
        for (const kernels::Segment& segment : segments(item)) {
            if constexpr (meets_walls<Pass>())
                if (layout_.per_element == 2) {
                    store_reals<Pass>(result, tables, t, segment, first_flux);
                    continue;
                }
            if (shifted_)
                device::Cpu::for_each(layout_.kept_z, kernels::Store<Real, Result, Pass::fluxes, true>{
                                                          result, tables, t, segment, shift});
            else
                device::Cpu::for_each(layout_.kept_z, kernels::Store<Real, Result, Pass::fluxes, false>{
                                                          result, tables, t, segment, shift});
        }
    };
    if constexpr (requires { pass.with_store(store); })
        pass.with_store(store);
    else
        store(pass);
}

// Batch by batch from the column buffer to the points and back. Where rows are exchanged without blocking,
// each stage is a batch behind the one before it, so that an exchange lasts as long as another stage. While a
// pass calls out, which may throw or use MPI, nothing is under way.
template <class Real> template <class Pass> void RoundTrip<Real>::batches(Pass& pass, const Legs& legs) {
    constexpr bool calls_out =
        requires { pass.begin_batch(Block{}); } || requires { pass.end_batch(Block{}); };
    const int count = layout_.batches, lag = layout_.row_batches > 1 && !calls_out ? 1 : 0;
    const bool rows = layout_.grid.p_row > 1;
    const auto start_in = [&](int b) {
        start(*legs.column_in, b, pencil_buffer_.data(), plane_buffer_.data());
    };
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
                wait(*legs.column_in, step);
            }
            if (rows) towards_rows(pass, step, legs);
        }
        if (is_batch(behind)) rows ? exchanged_rows(pass, behind, legs) : whole_planes(pass, behind);
        if (is_batch(last)) {
            if (rows) back_from_rows(pass, last, legs);
            if (legs.column_out) start(*legs.column_out, last, plane_buffer_.data(), pencil_buffer_.data());
            if (legs.column_out && calls_out) wait(*legs.column_out, last);
        }
    }
    if (legs.column_out && !calls_out)
        for (int b = 0; b < count; ++b) wait(*legs.column_out, b);
}

// Where a rank has whole planes: each through y, x and the points, and back.
template <class Real> template <class Pass> void RoundTrip<Real>::whole_planes(Pass& pass, int b) {
    const Block planes = layout_.planes(b);
    if constexpr (requires { pass.begin_batch(planes); }) pass.begin_batch(planes);
    device_.each(planes.size(), [&](int executor, std::int64_t item) {
        const int z = planes.begin + static_cast<int>(item);
        if (executor == 0) progress();
        rows_in(pass, executor, z);
        const kernels::Plane<Real> p = plane(executor);
        const kernels::RowPiece<Real> piece{p.data, p.stride, p.pitch, layout_.elements, p.pitch};
        for (int y = 0; y < layout_.ny; y += workspace_.rows)
            points(pass, executor, z, y, std::min(workspace_.rows, layout_.ny - y), &piece);
        rows_out(pass, executor, z);
    });
    if constexpr (requires { pass.end_batch(planes); }) pass.end_batch(planes);
}

// Else in three stages: y lines and off to the row's ranks;
template <class Real>
template <class Pass>
void RoundTrip<Real>::towards_rows(Pass& pass, int b, const Legs& legs) {
    if constexpr (Pass::inputs > 0) {
        const Block planes = layout_.planes(b);
        device_.each(planes.size(), [&](int executor, std::int64_t item) {
            if (executor == 0) progress();
            rows_in(pass, executor, planes.begin + static_cast<int>(item));
            move_rows<true>(executor, static_cast<int>(item), b, widths_of(pass).inputs);
        });
        start(*legs.row_in, b, row_y_buffer_.data(), row_x_buffer_.data());
    }
}

// x lines and points of the own rows;
template <class Real>
template <class Pass>
void RoundTrip<Real>::exchanged_rows(Pass& pass, int b, const Legs& legs) {
    const Block planes = layout_.planes(b);
    if constexpr (Pass::inputs > 0) wait(*legs.row_in, b);
    if constexpr (requires { pass.begin_batch(planes); }) pass.begin_batch(planes);
    const int chunks = (layout_.y.size() + workspace_.rows - 1) / workspace_.rows;
    device_.each(1LL * planes.size() * chunks, [&](int executor, std::int64_t item) {
        if (executor == 0) progress();
        const int index = static_cast<int>(item / chunks);
        const int y = static_cast<int>(item % chunks) * workspace_.rows;
        points(pass, executor, planes.begin + index, y, std::min(workspace_.rows, layout_.y.size() - y),
               row_pieces(executor, index, b));
    });
    if constexpr (requires { pass.end_batch(planes); }) pass.end_batch(planes);
    if constexpr (Pass::products > 0) start(*legs.row_out, b, row_x_buffer_.data(), row_y_buffer_.data());
}

// and y lines of what came back.
template <class Real>
template <class Pass>
void RoundTrip<Real>::back_from_rows(Pass& pass, int b, const Legs& legs) {
    if constexpr (Pass::products > 0) {
        const Block planes = layout_.planes(b);
        wait(*legs.row_out, b);
        device_.each(planes.size(), [&](int executor, std::int64_t item) {
            if (executor == 0) progress();
            move_rows<false>(executor, static_cast<int>(item), b, widths_of(pass).products);
            rows_out(pass, executor, planes.begin + static_cast<int>(item));
        });
    }
}

template <class Real>
template <class Pass>
void RoundTrip<Real>::rows_in(const Pass& pass, int executor, int z) {
    if constexpr (Pass::inputs > 0) y_lines_in(executor, z, widths_of(pass).inputs);
}

template <class Real>
template <class Pass>
void RoundTrip<Real>::rows_out(const Pass& pass, int executor, int z) {
    if constexpr (Pass::products > 0) {
        Timers& timers = executors_[static_cast<std::size_t>(executor)].timers;
        const kernels::Plane<Real> p = plane(executor);
        {
            Timers::Scope scope(timers, Part::y_lines);
            for (int v = 0; v < widths_of(pass).products; ++v)
                y_out_[lines_of(1, parities_.products[static_cast<std::size_t>(v)])]->execute(
                    p.row(v, 0), line_scratch(executor));
        }
        Timers::Scope scope(timers, Part::pack);
        each_part(pass, [&](const auto& part, int s) {
            const int product = widths_of(pass).first_product + s * part.products;
            contract_plane(part, p.from(product), z, product, Pass::fluxes + s * part.fluxes, executor);
        });
        contract_plane(pass, p, z, 0, 0, executor);
    }
}

// Products of a plane -> fluxes, the first of which are numbers `first_product` and `first_flux` of all.
template <class Real>
template <class Pass>
void RoundTrip<Real>::contract_plane(const Pass& pass, const kernels::Plane<Real>& p, int z,
                                     int first_product, int first_flux, int executor) {
    Value* const fluxes = block_space(executor);
    const kernels::Contract<Real, Pass> contract{pass,
                                                 p,
                                                 fluxes,
                                                 slots_of(z),
                                                 layout_.column_rows.data(),
                                                 kx_.data(),
                                                 all_ky_.data(),
                                                 layout_.extent_y};
    for (int j = 0; j < layout_.kept_y; ++j) {
        const auto row = contract.row(j);
        if (layout_.per_element == 1)
            device::Cpu::run_row(row);
        else if constexpr (meets_walls<Pass>())
            contract_reals(contract, j, first_product);
        const PlaneSlot target = contract.target(j);
        for (int v = 0; v < Pass::fluxes; ++v)
            device::Cpu::stream(plane_data() + target.base + (first_flux + v) * target.stride,
                                fluxes + v * p.pitch, static_cast<std::size_t>(row.length) * sizeof(Value));
    }
}

// Rows y0, ..., y0 + rows - 1 of a plane through x, the points, and back.
template <class Real>
template <class Pass>
void RoundTrip<Real>::points(const Pass& pass, int executor, int z, int y0, int rows,
                             const kernels::RowPiece<Real>* pieces) {
    if (row_lines_)
        lane_points(pass, executor, z, y0, rows, pieces);
    else
        line_points(pass, executor, z, y0, rows, pieces);
}

// By rows turned into lanes.
template <class Real>
template <class Pass>
void RoundTrip<Real>::lane_points(const Pass& pass, int executor, int z, int y0, int rows,
                                  const kernels::RowPiece<Real>* pieces) {
    Timers& timers = executors_[static_cast<std::size_t>(executor)].timers;
    const Widths widths = widths_of(pass);
    kernels::Maxima<Real, Pass> maxima;
    const bool measures = Pass::maxima > 0 && pass.wants_maxima();
    const auto at_points = [&](const device::RowPoints<Real>& block) {
        Timers::Scope scope(timers, Part::point, Part::x_lines);
        if constexpr (Pass::maxima > 0)
            if (measures) maxima.add(pass, block.data, block.stride, 1LL * block.points * block.rows);
        const kernels::BlockPoints<Real, Pass> kernel{pass, block, layout_.y.begin + y0, z};
        each_part(pass, [&]<class Sub>(const Sub& part, int s) {
            const std::int64_t row = kernel.whole() ? 1LL * block.points * block.rows : block.rows;
            device::Cpu::for_each(kernel.kernel_rows(),
                                  kernels::PartPoints<Real, Sub>{
                                      part, block.data,
                                      block.data + (Pass::inputs + s * part.inputs) * block.stride,
                                      block.data + (widths.first_product + s * part.products) * block.stride,
                                      block.stride, block.stride, row, kernel.whole() ? row : block.count});
        });
        device::Cpu::for_each(kernel.kernel_rows(), kernel);
        if (!kernel.whole())
            device::Cpu::for_each(1LL * widths.products * block.points, kernels::BlockPadding<Real>{block});
    };
    {
        Timers::Scope scope(timers, Part::x_lines);
        row_lines_->through(
            {pieces, layout_.grid.p_row, y0, rows},
            {widths.inputs, widths.products, parities_.inputs.data(), parities_.products.data()},
            static_cast<Real>(scale_), block_space(executor), at_points);
    }
    if (measures) add_maxima(maxima, Pass::maxima, executor);
}

// By pairs of rows as complex lines of any kind.
template <class Real>
template <class Pass>
void RoundTrip<Real>::line_points(const Pass& pass, int executor, int z, int y0, int rows,
                                  const kernels::RowPiece<Real>* pieces) {
    Timers& timers = executors_[static_cast<std::size_t>(executor)].timers;
    const Widths widths = widths_of(pass);
    const kernels::LineBlock<Real> in = line_block(executor, false, y0, rows);
    const kernels::LineBlock<Real> out = line_block(executor, true, y0, rows);
    if constexpr (Pass::inputs > 0) {
        {
            Timers::Scope scope(timers, Part::pack);
            merge_rows(layout_, in, widths.inputs, pieces);
        }
        Timers::Scope scope(timers, Part::x_lines);
        for (int v = 0; v < widths.inputs; ++v)
            x_lines(x_in_, parities_.inputs[static_cast<std::size_t>(v)], in)
                .execute(in.line(v, 0), line_scratch(executor));
    }
    {
        Timers::Scope scope(timers, Part::point);
        if constexpr (Pass::maxima > 0)
            if (pass.wants_maxima()) {
                kernels::Maxima<Real, Pass> maxima;
                for (int pair = 0; pair < in.live_pairs(); ++pair)
                    maxima.add(pass, reinterpret_cast<const Real*>(in.line(0, pair)),
                               2LL * in.pairs * in.pitch, 2LL * in.nx);
                add_maxima(maxima, Pass::maxima, executor);
            }
        device::Cpu::for_each(in.live_pairs(),
                              kernels::Points<Real, Pass>{pass, in, out, layout_.y.begin, z});
        each_part(pass, [&]<class Sub>(const Sub& part, int s) {
            const auto reals = [](const kernels::LineBlock<Real>& block, int v) {
                return reinterpret_cast<Real*>(block.line(v, 0));
            };
            const std::int64_t pitch = 2LL * in.pitch;
            device::Cpu::for_each(
                in.live_pairs(),
                kernels::PartPoints<Real, Sub>{part, reals(in, 0), reals(in, Pass::inputs + s * part.inputs),
                                               reals(out, widths.first_product + s * part.products),
                                               in.pairs * pitch, out.pairs * pitch, pitch, 2LL * in.nx});
        });
    }
    if constexpr (Pass::products > 0) {
        {
            Timers::Scope scope(timers, Part::x_lines);
            for (int v = 0; v < widths.products; ++v)
                x_lines(x_out_, parities_.products[static_cast<std::size_t>(v)], out)
                    .execute(out.line(v, 0), line_scratch(executor));
        }
        Timers::Scope scope(timers, Part::pack);
        separate_rows(layout_, out, widths.products, static_cast<Real>(scale_), pieces);
    }
}

template <class Real>
template <class Maxima>
void RoundTrip<Real>::add_maxima(const Maxima& maxima, int number, int executor) {
    auto& largest = maxima_[static_cast<std::size_t>(executor)];
    for (int m = 0; m < number; ++m) {
        const double value = maxima.value(m);
        double& known = largest[static_cast<std::size_t>(m)];
        if (!(value <= known) && known == known) known = value; // a NaN stays
    }
}

} // namespace whorl

// RoundTrip::run and its stages; included where passes are instantiated.
#pragma once

#include "roundtrip/roundtrip.hpp"
#include "roundtrip/run_lines.hpp"
#include "roundtrip/run_points.hpp"
#include "roundtrip/run_walls.hpp"

namespace whorl {

template <class Device, class Real>
template <class Pass>
std::array<double, 2> RoundTrip<Device, Real>::run(Pass& pass) {
    static_assert(Pass::maxima <= 2, "a pass measures at most two maxima");
    Timers::Scope total(exchanges_.timer(), Part::total);
    const Widths widths = widths_of(pass);
    WHORL_REQUIRE(widths.inputs <= layout_.column_variables && widths.fluxes <= layout_.column_variables &&
                      widths.inputs <= layout_.row_variables && widths.products <= layout_.row_variables,
                  "a pass carries more variables than the round trip was planned for.");
    find_parities(pass, widths);
    for (auto& largest : maxima_) largest = {0.0, 0.0};
    if constexpr (Pass::inputs > 0) columns_in(pass);

    const Legs legs =
        exchanges_.legs(Pass::inputs > 0 ? widths.inputs : 0, Pass::products > 0 ? widths.products : 0,
                        Pass::fluxes > 0 ? widths.fluxes : 0);
    batches(pass, legs);

    const auto largest = reduce_maxima(Pass::maxima > 0 && pass.wants_maxima());
    if constexpr (requires { pass.begin_store(largest); }) pass.begin_store(largest);
    if constexpr (Pass::fluxes > 0) columns_out(pass);
    if (exchanges_.timer().enabled) device_.finish();
    throw_if(failure_);
    return largest;
}

template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::columns_in(const Pass& pass) {
    const int inputs = widths_of(pass).inputs;
    device_.each(static_cast<std::int64_t>(tiles_.size()), [&](int executor, std::int64_t item) {
        const kernels::Tile<Real> t = tile(executor, item);
        if constexpr (Device::streams)
            if (in_blocks(z_in_, t, widest<Pass>().inputs)) return load_lines(pass, executor, t);
        {
            const Timed scope(*this, executor, Part::modes);
            load_tile(pass, executor, t, 0);
            each_part(pass, [&](const auto& part, int s) {
                const int first = Pass::inputs + s * part.inputs;
                load_tile(part, executor, t.from(first), first);
            });
            const int spare = lane_step * tile_width(t.count) - t.count;
            device_.for_each(executor, inputs * t.rows(),
                             kernels::LoadPadding<Real>{modes(), t, inputs, spare});
        }
        z_lines_in(executor, t, inputs);
    });
}

template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::load_tile(const Pass& pass, int executor, const kernels::Tile<Real>& t,
                                        int first_input) {
    if constexpr (meets_walls<Pass>())
        if (layout_.per_element == 2) return load_reals(pass, executor, t, first_input);
    if constexpr (Device::streams) {
        device_.for_each(executor, t.rows(), kernels::Load<Real, Pass>{pass, modes(), t, shift_tables()});
    } else {
        const auto load = [&]<class Values>(const ModeRow<Real>& row, const Values& values) {
            Device::run_row(kernels::LoadRow<Real, Pass, Values>{pass, row, values, row.length});
        };
        each_row(t, load);
    }
}

// f(row, values) of every row of a tile, with the values as the grid in hand has them.
template <class Device, class Real>
template <class F>
void RoundTrip<Device, Real>::each_row(const kernels::Tile<Real>& t, const F& f) const {
    const ModeTables<Real> tables = modes();
    const kernels::Shift<Real> shift = shift_tables();
    for (std::int64_t r = 0; r < t.rows(); ++r) {
        const kernels::ModeValues<Real> row = kernels::values_of_row(tables, t, r);
        if (shifted_)
            f(row.modes, kernels::shifted_values(row, shift));
        else
            f(row.modes, row);
    }
}

template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::columns_out(const Pass& pass) {
    device_.each(static_cast<std::int64_t>(tiles_.size()), [&](int executor, std::int64_t item) {
        const kernels::Tile<Real> t = tile(executor, item);
        if constexpr (Device::streams)
            if (in_blocks(z_out_, t, widest<Pass>().fluxes)) return store_lines(pass, executor, t);
        z_lines_out(executor, item, widths_of(pass).fluxes);
        const Timed scope(*this, executor, Part::modes);
        each_part(pass, [&](const auto& part, int s) {
            const int first = Pass::fluxes + s * part.fluxes;
            store_tile(part, executor, t.from(first), first);
        });
        store_tile(pass, executor, t, 0);
    });
}

template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::store_tile(const Pass& pass, int executor, const kernels::Tile<Real>& t,
                                         int first_flux) {
    with_result(pass, [&]<class Result>(const Result& result) {
        if constexpr (Device::streams) {
            if constexpr (meets_walls<Pass>())
                if (layout_.per_element == 2) return store_reals<Pass>(result, executor, t, first_flux);
            device_.for_each(executor, t.rows(),
                             kernels::Store<Real, Result, Pass::fluxes>{result, modes(), t, shift_tables()});
        } else {
            store_rows<Pass>(result, executor, t, first_flux);
        }
    });
}

// Row by row; what a row is combined with is fetched some rows before.
template <class Device, class Real>
template <class Pass, class Result>
void RoundTrip<Device, Real>::store_rows(const Result& result, int executor, const kernels::Tile<Real>& t,
                                         int first_flux) {
    const ModeTables<Real> tables = modes();
    std::int64_t fetched = 0;
    const auto fetch_next = [&] {
        if constexpr (requires { result.fetch_row(ModeRow<Real>{}); })
            if (fetched < t.rows()) result.fetch_row(kernels::values_of_row(tables, t, fetched++).modes);
    };
    for (int i = 0; i < rows_ahead; ++i) fetch_next();
    const auto store = [&]<class Values>(const ModeRow<Real>& row, const Values& values) {
        fetch_next();
        if constexpr (requires { result.template store_row<Device>(row, values); })
            result.template store_row<Device>(row, values);
        else
            Device::run_row(
                kernels::StoreRow<Real, Result, Pass::fluxes, Values>{result, row, values, row.length});
    };
    if (layout_.per_element == 1) return each_row(t, store);
    for (std::int64_t r = 0; r < t.rows(); ++r) {
        const kernels::ModeValues<Real> row = widened_row(executor, t, r, first_flux, Pass::fluxes);
        store(row.modes, row);
    }
}

// Batch by batch from the column buffer to the points and back. Where rows are exchanged without blocking,
// each stage is a batch behind the one before it, so that an exchange lasts as long as another stage. While a
// pass calls out, which may throw or use MPI, nothing is under way. Where a pass neither exchanges nor calls
// out, the planes of all batches follow each other without a halt.
template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::batches(Pass& pass, const Legs& legs) {
    constexpr bool calls_out =
        requires { pass.begin_batch(Block{}); } || requires { pass.end_batch(Block{}); };
    if constexpr (!Device::streams && !calls_out)
        if (layout_.grid.p_row * layout_.grid.p_col == 1) return whole_planes(pass, layout_.z);
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
void RoundTrip<Device, Real>::whole_planes(Pass& pass, const Block& all) {
    if constexpr (requires { pass.begin_batch(all); }) {
        device_.finish(); // the batch before may still be at work on what this fills
        pass.begin_batch(all);
    }
    device_.each(groups(all), [&](int executor, std::int64_t item) {
        const Block z = group(all, item);
        if (executor == 0) exchanges_.progress();
        rows_in(pass, executor, z);
        if constexpr (!Device::streams) find_next_plane(executor, z, all, widths_of(pass).inputs);
        const kernels::Planes<Real> p = planes(executor, z);
        const kernels::RowPiece<Real> piece{p.data, p.stride, p.pitch, layout_.elements, p.pitch};
        const kernels::RowOrder order{0, z.begin, z.size(), true};
        const int rows = layout_.ny * z.size();
        for (int y = 0; y < rows; y += workspace_.rows)
            points(pass, executor, order, y, std::min(workspace_.rows, rows - y), &piece);
        rows_out(pass, executor, z);
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
        const Block all = layout_.planes(b);
        device_.each(groups(all), [&](int executor, std::int64_t item) {
            if (executor == 0) exchanges_.progress();
            rows_in(pass, executor, group(all, item));
            move_rows<true>(executor, group(all, item), b, widths_of(pass).inputs);
        });
        exchanges_.start(*legs.row_in, b);
    }
}

// x lines and points of the own rows;
template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::exchanged_rows(Pass& pass, int b, const Legs& legs) {
    const Block all = layout_.point_planes(b);
    if constexpr (Pass::inputs > 0) exchanges_.wait(*legs.row_in, b);
    if constexpr (requires { pass.begin_batch(all); }) {
        device_.finish(); // the batch before may still be at work on what this fills
        pass.begin_batch(all);
    }
    const int own = layout_.y.size(), together = Device::streams ? workspace_.planes : 1;
    const int chunks = own == 0 ? 0 : (together * own + workspace_.rows - 1) / workspace_.rows;
    device_.each(1LL * groups(all) * chunks, [&](int executor, std::int64_t item) {
        if (executor == 0) exchanges_.progress();
        const Block z = group(all, item / chunks);
        const int y = static_cast<int>(item % chunks) * workspace_.rows;
        const kernels::RowOrder order{layout_.y.begin, z.begin, own, false};
        points(pass, executor, order, y, std::min(workspace_.rows, z.size() * own - y),
               row_pieces(executor, z.begin - all.begin, b));
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
        const Block all = layout_.planes(b);
        exchanges_.wait(*legs.row_out, b);
        device_.each(groups(all), [&](int executor, std::int64_t item) {
            if (executor == 0) exchanges_.progress();
            move_rows<false>(executor, group(all, item), b, widths_of(pass).products);
            rows_out(pass, executor, group(all, item));
        });
    }
}

template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::rows_in(const Pass& pass, int executor, const Block& z) {
    if constexpr (Pass::inputs > 0) y_lines_in(executor, z, widths_of(pass).inputs);
}

template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::rows_out(const Pass& pass, int executor, const Block& z) {
    if constexpr (Pass::products > 0) {
        if constexpr (Device::streams)
            if (in_blocks(z, widest<Pass>().products)) return contract_lines(pass, executor, z);
        y_lines_out(executor, z, widths_of(pass).products);
        const Timed scope(*this, executor, Part::pack);
        each_part(pass, [&](const auto& part, int s) {
            contract_planes(part, executor, z, widths_of(pass).first_product + s * part.products,
                            Pass::fluxes + s * part.fluxes);
        });
        contract_planes(pass, executor, z, 0, 0);
    }
}

// Products -> fluxes, the first of which are numbers `first_product` and `first_flux` of all.
template <class Device, class Real>
template <class Pass>
kernels::Contract<Real, Pass> RoundTrip<Device, Real>::contraction(const Pass& pass, int executor,
                                                                   const Block& z, int first_product,
                                                                   int first_flux) {
    return {pass,
            planes(executor, z).from(first_product),
            Device::streams ? nullptr : block_space(executor),
            exchanges_.y_pencil(),
            first_flux,
            slots_of(z),
            column_rows_.data(),
            kx_.data(),
            all_ky_.data(),
            layout_.extent_y,
            layout_.kept_y,
            layout_.grid.p_col};
}

template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::contract_planes(const Pass& pass, int executor, const Block& z,
                                              int first_product, int first_flux) {
    const auto contract = contraction(pass, executor, z, first_product, first_flux);
    if (layout_.per_element == 1)
        contract_rows(contract, contract, executor, z);
    else if constexpr (meets_walls<Pass>())
        contract_rows(kernels::ContractReals<Real, Pass>{contract, sines_of<Pass::products>(
                                                                       parities_.products, first_product)},
                      contract, executor, z);
}

// On a CPU what is contracted passes the cache by on its way to the buffer.
template <class Device, class Real>
template <class Kernel, class Pass>
void RoundTrip<Device, Real>::contract_rows(const Kernel& kernel,
                                            const kernels::Contract<Real, Pass>& contract, int executor,
                                            const Block& z) {
    const std::int64_t rows = 1LL * z.size() * layout_.kept_y;
    if constexpr (Device::streams) {
        device_.for_each(executor, rows, kernel);
    } else {
        for (std::int64_t r = 0; r < rows; ++r) {
            Device::run_row(kernel.row(r));
            const PlaneSlot target = contract.target(r);
            const int length = layout_.column_rows[static_cast<std::size_t>(r % layout_.kept_y)].length;
            for (int v = 0; v < Pass::fluxes; ++v)
                Device::stream(exchanges_.y_pencil() + target.base + v * target.stride,
                               contract.block + v * contract.planes.pitch,
                               static_cast<std::size_t>(length) * sizeof(Value));
        }
    }
}

} // namespace whorl

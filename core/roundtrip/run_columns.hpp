// What the stage of columns does with a pass; included by run.hpp.
#pragma once

#include "roundtrip/column_stage.hpp"

namespace whorl {

template <class Device, class Real>
template <class Pass>
void ColumnStage<Device, Real>::inwards(const Pass& pass) {
    const int inputs = widths_of(pass).inputs;
    device_.each(tiles(), [&](int executor, std::int64_t number) {
        const kernels::Tile<Real> t = tile(executor, number);
        if constexpr (Device::streams)
            if (in_blocks(in_, t, widest<Pass>().inputs)) return load_lines(pass, executor, t);
        {
            const auto scope = executors_.timed(executor, Part::modes);
            load(pass, executor, t, 0);
            each_part(pass, [&](const auto& part, int s) {
                const int first = Pass::inputs + s * part.inputs;
                load(part, executor, t.from(first), first);
            });
            const int spare = lane_step * lane_steps(t.count) - t.count;
            device_.for_each(executor, inputs * t.rows(),
                             kernels::LoadPadding<Real>{modes_.tables(), t, inputs, spare});
        }
        lines_in(executor, t, inputs);
    });
}

template <class Device, class Real>
template <class Pass>
void ColumnStage<Device, Real>::outwards(const Pass& pass) {
    device_.each(tiles(), [&](int executor, std::int64_t number) {
        const kernels::Tile<Real> t = tile(executor, number);
        if constexpr (Device::streams)
            if (in_blocks(out_, t, widest<Pass>().fluxes)) return store_lines(pass, executor, t);
        lines_out(executor, number, widths_of(pass).fluxes);
        const auto scope = executors_.timed(executor, Part::modes);
        each_part(pass, [&](const auto& part, int s) {
            const int first = Pass::fluxes + s * part.fluxes;
            store(part, executor, t.from(first), first);
        });
        store(pass, executor, t, 0);
    });
}

template <class Device, class Real>
template <class Pass>
void ColumnStage<Device, Real>::load(const Pass& pass, int executor, const kernels::Tile<Real>& t,
                                     int first_input) {
    const ModeTables<Real> tables = modes_.tables();
    if constexpr (meets_walls<Pass>())
        if (layout_.per_element == 2) {
            const auto sines = sines_of<Pass::inputs>(first_input);
            return device_.for_each(executor, t.rows(),
                                    kernels::LoadReals<Real, Pass>{pass, tables, t, sines});
        }
    if constexpr (Device::streams) {
        device_.for_each(executor, t.rows(), kernels::Load<Real, Pass>{pass, tables, t, modes_.phases()});
    } else {
        each_row(t, [&]<class Values>(const ModeRow<Real>& row, const Values& values) {
            Device::run_row(kernels::LoadRow<Real, Pass, Values>{pass, row, values, row.length});
        });
    }
}

template <class Device, class Real>
template <int n>
kernels::Sines<n> ColumnStage<Device, Real>::sines_of(int first_input) const {
    kernels::Sines<n> sines{};
    for (int v = 0; v < n; ++v)
        sines.of[v] = parities_.inputs[static_cast<std::size_t>(first_input + v)].sines();
    return sines;
}

// f(row, values) of every row of a tile, with the values as the grid in hand has them.
template <class Device, class Real>
template <class F>
void ColumnStage<Device, Real>::each_row(const kernels::Tile<Real>& t, const F& f) const {
    const ModeTables<Real> tables = modes_.tables();
    const kernels::Shift<Real> phases = modes_.phases();
    for (std::int64_t r = 0; r < t.rows(); ++r) {
        const kernels::ModeValues<Real> row = kernels::values_of_row(tables, t, r);
        if (modes_.shifted())
            f(row.modes, kernels::shifted_values(row, phases));
        else
            f(row.modes, row);
    }
}

template <class Device, class Real>
template <class Pass>
void ColumnStage<Device, Real>::store(const Pass& pass, int executor, const kernels::Tile<Real>& t,
                                      int first_flux) {
    with_result(pass, [&]<class Result>(const Result& result) {
        const ModeTables<Real> tables = modes_.tables();
        if constexpr (Device::streams) {
            if constexpr (meets_walls<Pass>())
                if (layout_.per_element == 2)
                    return device_.for_each(executor, t.rows(),
                                            kernels::StoreOfReals<Real, Result, Pass::fluxes>{
                                                result, tables, t, imaginary_of(first_flux, Pass::fluxes)});
            device_.for_each(executor, t.rows(),
                             kernels::Store<Real, Result, Pass::fluxes>{result, tables, t, modes_.phases()});
        } else {
            store_rows<Pass>(result, t, executor, first_flux);
        }
    });
}

// Row by row; what a row is combined with is fetched some rows before.
template <class Device, class Real>
template <class Pass, class Result>
void ColumnStage<Device, Real>::store_rows(const Result& result, const kernels::Tile<Real>& t, int executor,
                                           int first_flux) {
    const ModeTables<Real> tables = modes_.tables();
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

// Lines in the memory of blocks of threads, with what comes before or behind them (line_ends.hpp).

template <class Device, class Real>
template <class Pass>
void ColumnStage<Device, Real>::load_lines(const Pass& pass, int executor, const kernels::Tile<Real>& t) {
    const auto scope = executors_.timed(executor, Part::z_lines);
    const Lines& lines = lines_of(in_, t);
    const auto load = [&]<class Of>(const Of& of, int first) {
        const kernels::LoadLines<Real, Of> ends{{of, modes_.tables(), t, modes_.phases()},
                                                mode_columns(t, first)};
        device_.template transform_between<device::Direction::backward>(executor, lines, 1, ends);
    };
    load(pass, 0);
    each_part(pass, [&](const auto& part, int s) { load(part, Pass::inputs + s * part.inputs); });
}

template <class Device, class Real>
template <class Pass>
void ColumnStage<Device, Real>::store_lines(const Pass& pass, int executor, const kernels::Tile<Real>& t) {
    const auto scope = executors_.timed(executor, Part::z_lines);
    const Lines& lines = lines_of(out_, t);
    const auto store = [&]<int fluxes, class Result>(const Result& result, int first) {
        const kernels::StoreLines<Real, Result, fluxes> ends{{result, modes_.tables(), t, modes_.phases()},
                                                             mode_columns(t, first)};
        device_.template transform_between<device::Direction::forward>(executor, lines, 1, ends);
    };
    const auto store_of = [&]<class Of>(const Of& of, int first) {
        with_result(of, [&](const auto& result) { store.template operator()<Of::fluxes>(result, first); });
    };
    each_part(pass, [&](const auto& part, int s) { store_of(part, Pass::fluxes + s * part.fluxes); });
    store_of(pass, 0);
}

} // namespace whorl

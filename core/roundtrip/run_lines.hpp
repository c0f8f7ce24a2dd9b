// The stages of RoundTrip::run whose lines are transformed in the memory of blocks of threads, with what
// comes before or behind them (line_ends.hpp); included by run.hpp.
#pragma once

#include "roundtrip/roundtrip.hpp"

namespace whorl {

template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::load_lines(const Pass& pass, int executor, const kernels::Tile<Real>& t) {
    const Timed scope(*this, executor, Part::z_lines);
    const Lines& lines = z_lines_of(z_in_, t);
    const auto load = [&]<class Of>(const Of& of, int first) {
        const kernels::LoadLines<Real, Of> ends{{of, modes(), t, shift_tables()}, mode_columns(t, first)};
        device_.template transform_between<device::Direction::backward>(executor, lines, 1, ends);
    };
    load(pass, 0);
    each_part(pass, [&](const auto& part, int s) { load(part, Pass::inputs + s * part.inputs); });
}

template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::store_lines(const Pass& pass, int executor, const kernels::Tile<Real>& t) {
    const Timed scope(*this, executor, Part::z_lines);
    const Lines& lines = z_lines_of(z_out_, t);
    const auto store = [&]<int fluxes, class Result>(const Result& result, int first) {
        const kernels::StoreLines<Real, Result, fluxes> ends{{result, modes(), t, shift_tables()},
                                                             mode_columns(t, first)};
        device_.template transform_between<device::Direction::forward>(executor, lines, 1, ends);
    };
    const auto store_of = [&]<class Of>(const Of& of, int first) {
        with_result(of, [&](const auto& result) { store.template operator()<Of::fluxes>(result, first); });
    };
    each_part(pass, [&](const auto& part, int s) { store_of(part, Pass::fluxes + s * part.fluxes); });
    store_of(pass, 0);
}

template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::contract_lines(const Pass& pass, int executor, const Block& z) {
    const Timed scope(*this, executor, Part::y_lines);
    const Lines& lines = *y_out_[lines_of(1, even)].at(z.size());
    const auto contract = [&]<class Of>(const Of& of, int first_product, int first_flux) {
        const kernels::ContractLines<Real, Of> ends{contraction(of, executor, z, first_product, first_flux)};
        device_.template transform_between<device::Direction::forward>(executor, lines, z.size(), ends);
    };
    each_part(pass, [&](const auto& part, int s) {
        contract(part, widths_of(pass).first_product + s * part.products, Pass::fluxes + s * part.fluxes);
    });
    contract(pass, 0, 0);
}

} // namespace whorl

// What the stage of planes does with a pass; included by run.hpp.
#pragma once

#include "roundtrip/plane_stage.hpp"

namespace whorl {

template <class Device, class Real>
template <class Pass>
void PlaneStage<Device, Real>::outwards(const Pass& pass, int executor, const Block& z) {
    if constexpr (Pass::products > 0) {
        if constexpr (Device::streams)
            if (in_blocks(z, widest<Pass>().products)) return contract_lines(pass, executor, z);
        lines_out(executor, z, widths_of(pass).products);
        const auto scope = executors_.timed(executor, Part::pack);
        each_part(pass, [&](const auto& part, int s) {
            contract(part, executor, z, widths_of(pass).first_product + s * part.products,
                     Pass::fluxes + s * part.fluxes);
        });
        contract(pass, executor, z, 0, 0);
    }
}

template <class Device, class Real>
template <class Pass>
kernels::Contract<Real, Pass> PlaneStage<Device, Real>::contraction(const Pass& pass, int executor,
                                                                    const Block& z, int first_product,
                                                                    int first_flux) {
    return {pass,
            planes(executor, z).from(first_product),
            Device::streams ? nullptr : executors_.behind_plane(executor),
            exchanges_.y_pencil(),
            first_flux,
            slots_of(z),
            column_rows_.data(),
            modes_.kx(),
            modes_.all_ky(),
            layout_.extent_y,
            layout_.kept_y,
            layout_.grid.p_col};
}

template <class Device, class Real>
template <class Pass>
void PlaneStage<Device, Real>::contract(const Pass& pass, int executor, const Block& z, int first_product,
                                        int first_flux) {
    const auto plain = contraction(pass, executor, z, first_product, first_flux);
    if (layout_.per_element == 1) return contract_rows(plain, plain, executor, z);
    if constexpr (meets_walls<Pass>()) {
        kernels::Sines<Pass::products> sines{};
        for (int v = 0; v < Pass::products; ++v)
            sines.of[v] = parities_.products[static_cast<std::size_t>(first_product + v)].sines();
        contract_rows(kernels::ContractReals<Real, Pass>{plain, sines}, plain, executor, z);
    }
}

// On a CPU what is contracted passes the cache by on its way to the buffer.
template <class Device, class Real>
template <class Kernel, class Pass>
void PlaneStage<Device, Real>::contract_rows(const Kernel& kernel,
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

template <class Device, class Real>
template <class Pass>
void PlaneStage<Device, Real>::contract_lines(const Pass& pass, int executor, const Block& z) {
    const auto scope = executors_.timed(executor, Part::y_lines);
    const Lines& lines = *out_[even].at(z.size());
    const auto contract_of = [&]<class Of>(const Of& of, int first_product, int first_flux) {
        const kernels::ContractLines<Real, Of> ends{contraction(of, executor, z, first_product, first_flux)};
        device_.template transform_between<device::Direction::forward>(executor, lines, z.size(), ends);
    };
    each_part(pass, [&](const auto& part, int s) {
        contract_of(part, widths_of(pass).first_product + s * part.products, Pass::fluxes + s * part.fluxes);
    });
    contract_of(pass, 0, 0);
}

} // namespace whorl

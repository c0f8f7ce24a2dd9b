// What RoundTrip::run does otherwise between walls; included by run.hpp.
#pragma once

#include "base/error.hpp"
#include "roundtrip/roundtrip.hpp"

namespace whorl {

template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::find_parities(const Pass& pass, const Widths& widths) {
    parities_.inputs.assign(static_cast<std::size_t>(widths.inputs), even);
    parities_.products.assign(static_cast<std::size_t>(widths.products), even);
    parities_.fluxes.assign(static_cast<std::size_t>(widths.fluxes), {});
    if (layout_.walls == std::array{false, false, false}) return;
    if constexpr (meets_walls<Pass>()) {
        each_part(pass, [&](const auto& part, int s) {
            add_parities(part, Pass::inputs + s * part.inputs, widths.first_product + s * part.products,
                         Pass::fluxes + s * part.fluxes);
        });
        add_parities(pass, 0, 0, 0);
    } else {
        throw Error("this model has no parities, so it cannot run between walls: choose bases = \"FFF\".");
    }
}

template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::add_parities(const Pass& pass, int first_input, int first_product,
                                           int first_flux) {
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    if constexpr (Pass::inputs > 0)
        for (int v = 0; v < Pass::inputs; ++v) parities_.inputs[at(first_input + v)] = pass.input_parity(v);
    if constexpr (Pass::products > 0)
        for (int v = 0; v < Pass::products; ++v)
            parities_.products[at(first_product + v)] = pass.product_parity(v);
    if constexpr (Pass::fluxes > 0)
        for (int v = 0; v < Pass::fluxes; ++v) parities_.fluxes[at(first_flux + v)] = pass.flux_parity(v);
}

template <class Device, class Real>
template <int n>
kernels::Sines<n> RoundTrip<Device, Real>::sines_of(const std::vector<Parity>& parities, int first) {
    kernels::Sines<n> sines{};
    for (int v = 0; v < n; ++v) sines.of[v] = parities[static_cast<std::size_t>(first + v)].sines();
    return sines;
}

template <class Device, class Real>
kernels::Imaginary RoundTrip<Device, Real>::imaginary_of(int first, int fluxes) const {
    kernels::Imaginary bits = 0;
    for (int v = 0; v < fluxes; ++v)
        if (parities_.fluxes[static_cast<std::size_t>(first + v)].imaginary)
            bits |= kernels::Imaginary{1} << v;
    return bits;
}

template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::load_reals(const Pass& pass, int executor, const kernels::Tile<Real>& t,
                                         int first_input) {
    const auto sines = sines_of<Pass::inputs>(parities_.inputs, first_input);
    device_.for_each(executor, t.rows(), kernels::LoadReals<Real, Pass>{pass, modes(), t, sines});
}

template <class Device, class Real>
template <class Pass, class Result>
void RoundTrip<Device, Real>::store_reals(const Result& result, int executor, const kernels::Tile<Real>& t,
                                          int first_flux) {
    const kernels::Imaginary imaginary = imaginary_of(first_flux, Pass::fluxes);
    device_.for_each(executor, t.rows(),
                     kernels::StoreOfReals<Real, Result, Pass::fluxes>{result, modes(), t, imaginary});
}

} // namespace whorl

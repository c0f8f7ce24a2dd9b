// What RoundTrip::run does otherwise between walls; included by run.hpp.
#pragma once

#include "base/error.hpp"
#include "roundtrip/roundtrip.hpp"

namespace whorl {

template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::find_parities(const Pass& pass, const Widths& widths) {
    parities_.inputs.assign(static_cast<std::size_t>(widths.inputs), 0);
    parities_.products.assign(static_cast<std::size_t>(widths.products), 0);
    parities_.fluxes.assign(static_cast<std::size_t>(widths.fluxes), 0);
    parities_.imaginary.assign(static_cast<std::size_t>(widths.fluxes), 0);
    if (layout_.walls == 0) return;
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
    if constexpr (Pass::fluxes > 0) {
        for (int v = 0; v < Pass::fluxes; ++v) parities_.fluxes[at(first_flux + v)] = pass.flux_parity(v);
        if (layout_.per_element == 2) find_imaginary(pass, first_flux);
    }
}

// Products are (-i)^s times real numbers where x has walls, and a flux is a sum of them times real numbers:
// whether it is real or imaginary shows for wavenumbers at which none cancels.
template <class Device, class Real>
template <class Pass>
void RoundTrip<Device, Real>::find_imaginary(const Pass& pass, int first_flux) {
    Complex<Real> products[Pass::products], fluxes[Pass::fluxes];
    for (int v = 0; v < Pass::products; ++v)
        products[v] = kernels::power_of_i<Real>(-kernels::axes_in(pass.product_parity(v)));
    pass.contract(Real(0.6180340), Real(1.7320508), products, fluxes);
    for (int v = 0; v < Pass::fluxes; ++v) {
        WHORL_REQUIRE((fluxes[v].re == Real(0)) != (fluxes[v].im == Real(0)),
                      "flux " + std::to_string(v) + " of a pass adds products of unlike parities.");
        parities_.imaginary[static_cast<std::size_t>(first_flux + v)] = fluxes[v].im != Real(0);
    }
}

template <class Device, class Real>
template <int n>
kernels::Sines<n> RoundTrip<Device, Real>::sines_of(const std::vector<int>& parities, int first) const {
    kernels::Sines<n> sines{};
    for (int v = 0; v < n; ++v)
        sines.of[v] = kernels::axes_in(parities[static_cast<std::size_t>(first + v)] & layout_.walls);
    return sines;
}

template <class Device, class Real>
kernels::Imaginary RoundTrip<Device, Real>::imaginary_of(int first, int fluxes) const {
    kernels::Imaginary bits = 0;
    for (int v = 0; v < fluxes; ++v)
        if (parities_.imaginary[static_cast<std::size_t>(first + v)]) bits |= kernels::Imaginary{1} << v;
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

// The parities of all variables of a pass, its own and those of its parts.
#pragma once

#include <array>
#include <vector>

#include "base/error.hpp"
#include "roundtrip/mode_values.hpp"
#include "roundtrip/pass.hpp"

namespace whorl {

struct Parities {
    std::vector<Parity> inputs, products;
    std::vector<FluxParity> fluxes;

    // Makes all variables even: without walls parities have no effect.
    void reset(const Widths& widths) {
        inputs.assign(static_cast<std::size_t>(widths.inputs), even);
        products.assign(static_cast<std::size_t>(widths.products), even);
        fluxes.assign(static_cast<std::size_t>(widths.fluxes), {});
    }
    Parity input(int v) const { return inputs[static_cast<std::size_t>(v)]; }
    Parity product(int v) const { return products[static_cast<std::size_t>(v)]; }
    FluxParity flux(int v) const { return fluxes[static_cast<std::size_t>(v)]; }

    // Factors of the values of a pass, or of a part, between walls in x (mode_values.hpp, planes.hpp). Its
    // first input, flux or product has number `first`.
    template <class Real, class Pass>
    kernels::FactorsOfI<Real, room_for<Pass>(Pass::inputs)> load_factors(int first,
                                                                         int count = Pass::inputs) const {
        kernels::FactorsOfI<Real, room_for<Pass>(Pass::inputs)> factors;
        for (int v = 0; v < count; ++v) factors.of[v] = kernels::power_of_i<Real>(input(first + v).sines());
        return factors;
    }
    template <class Real, class Pass>
    kernels::FactorsOfI<Real, room_for<Pass>(Pass::fluxes)> store_factors(int first,
                                                                          int count = Pass::fluxes) const {
        kernels::FactorsOfI<Real, room_for<Pass>(Pass::fluxes)> factors;
        for (int v = 0; v < count; ++v)
            factors.of[v] = kernels::power_of_i<Real>(flux(first + v).imaginary ? 1 : 0);
        return factors;
    }
    // All products of a flux are real or all are imaginary, so that only a sign remains of (-i)^s.
    template <class Real, class Pass>
    SignsOf<Real, Pass> contract_signs(int first, int count = Pass::products) const {
        SignsOf<Real, Pass> signs;
        for (int v = 0; v < count; ++v) {
            const Complex<Real> factor = kernels::power_of_i<Real>(-product(first + v).sines());
            signs[static_cast<std::size_t>(v)] = factor.re + factor.im;
        }
        return signs;
    }
};

// Sets the parities of a pass, or of a part.
template <class Pass> void set_parities(Parities& all, const Pass& pass, const Firsts& firsts) {
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    const Widths widths = own_widths_of(pass);
    if constexpr (Pass::inputs > 0)
        for (int v = 0; v < widths.inputs; ++v) all.inputs[at(firsts.input + v)] = pass.input_parity(v);
    if constexpr (Pass::products > 0)
        for (int v = 0; v < widths.products; ++v)
            all.products[at(firsts.product + v)] = pass.product_parity(v);
    if constexpr (Pass::fluxes > 0)
        for (int v = 0; v < widths.fluxes; ++v) all.fluxes[at(firsts.flux + v)] = pass.flux_parity(v);
}

// Sets all parities of a pass, in the memory of those of the pass before: only the first pass allocates.
template <class Pass> void find_parities(Parities& all, const Pass& pass, const std::array<bool, 3>& walls) {
    all.reset(widths_of(pass));
    if (walls == std::array{false, false, false}) return;
    if constexpr (meets_walls<Pass>()) {
        each_member(pass,
                    [&](const auto& member, const Firsts& firsts) { set_parities(all, member, firsts); });
    } else {
        throw Error("this model has no parities, so it cannot run between walls: choose bases = \"FFF\".");
    }
}

} // namespace whorl

// The parities of everything that travels in a pass: of its own variables and of its parts'.
#pragma once

#include <array>
#include <vector>

#include "base/error.hpp"
#include "roundtrip/pass.hpp"

namespace whorl {

struct Parities {
    std::vector<Parity> inputs, products;
    std::vector<FluxParity> fluxes;

    // Of so many variables, where there are no walls and parity means nothing.
    void reset(const Widths& widths) {
        inputs.assign(static_cast<std::size_t>(widths.inputs), even);
        products.assign(static_cast<std::size_t>(widths.products), even);
        fluxes.assign(static_cast<std::size_t>(widths.fluxes), {});
    }
};

// Those of a pass, or a part, to their places.
template <class Pass>
void place_parities(Parities& all, const Pass& pass, int first_input, int first_product, int first_flux) {
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    if constexpr (Pass::inputs > 0)
        for (int v = 0; v < Pass::inputs; ++v) all.inputs[at(first_input + v)] = pass.input_parity(v);
    if constexpr (Pass::products > 0)
        for (int v = 0; v < Pass::products; ++v) all.products[at(first_product + v)] = pass.product_parity(v);
    if constexpr (Pass::fluxes > 0)
        for (int v = 0; v < Pass::fluxes; ++v) all.fluxes[at(first_flux + v)] = pass.flux_parity(v);
}

// Those of a pass into what holds those of the one before, so that nothing is allocated after the first.
template <class Pass> void find_parities(Parities& all, const Pass& pass, const std::array<bool, 3>& walls) {
    const Widths widths = widths_of(pass);
    all.reset(widths);
    if (walls == std::array{false, false, false}) return;
    if constexpr (meets_walls<Pass>()) {
        each_part(pass, [&](const auto& part, int s) {
            place_parities(all, part, Pass::inputs + s * part.inputs,
                           widths.first_product + s * part.products, Pass::fluxes + s * part.fluxes);
        });
        place_parities(all, pass, 0, 0, 0);
    } else {
        throw Error("this model has no parities, so it cannot run between walls: choose bases = \"FFF\".");
    }
}

} // namespace whorl

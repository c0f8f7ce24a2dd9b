#include "programs/fluxes.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace whorl::programs {

namespace {

bool is_of(const Flux& flux, const Returned& product) {
    const auto [a, b, c] = product.derivatives;
    return flux.field == product.field && flux.power == c && (flux.turn - (a + b + c)) % 2 == 0 &&
           static_cast<int>(flux.products.size()) < Flux::most;
}

void require_known(const Returned& product, int fields) {
    WHORL_REQUIRE(product.field >= 0 && product.field <= fields, "a product of a program belongs to field " +
                                                                     std::to_string(product.field) + " of " +
                                                                     std::to_string(fields) + ".");
    WHORL_REQUIRE(std::ranges::all_of(product.derivatives, [](int n) { return n >= 0 && n <= 2; }),
                  "a product of a program has a derivative that is not of order 0, 1 or 2.");
}

} // namespace

std::vector<Flux> fluxes_of(const std::vector<Returned>& products) {
    std::vector<Flux> fluxes;
    int fields = 0;
    for (int p = 0; p < static_cast<int>(products.size()); ++p) {
        const Returned& product = products[static_cast<std::size_t>(p)];
        require_known(product, fields);
        fields = std::max(fields, product.field + 1);
        const auto [a, b, c] = product.derivatives;
        auto flux = std::ranges::find_if(fluxes, [&](const Flux& one) { return is_of(one, product); });
        if (flux == fluxes.end()) flux = fluxes.insert(flux, Flux{product.field, a + b + c, c, {}, {}});
        flux->products.push_back(p);
        flux->factors.push_back((a + b + c - flux->turn) % 4 == 0 ? product.factor : -product.factor);
    }
    // The pass itself carries one product.
    const auto alone = std::ranges::find_if(fluxes, [](const Flux& one) { return one.products.size() == 1; });
    if (alone != fluxes.end()) {
        std::rotate(fluxes.begin(), alone, alone + 1);
    } else if (!fluxes.empty()) {
        Flux& last = fluxes.back();
        Flux first{last.field, last.turn, last.power, {last.products.back()}, {last.factors.back()}};
        last.products.pop_back();
        last.factors.pop_back();
        fluxes.insert(fluxes.begin(), std::move(first));
    }
    return fluxes;
}

std::vector<Parity> parities_of_fields(const std::vector<Returned>& products,
                                       const std::array<bool, 3>& walls) {
    std::vector<Parity> parities;
    for (const Returned& product : products) {
        require_known(product, static_cast<int>(parities.size()));
        std::array<bool, 3> odd{};
        for (std::size_t axis = 0; axis < 3; ++axis)
            odd[axis] = walls[axis] && product.parity[axis] != (product.derivatives[axis] % 2 == 1);
        const Parity parity{odd[0], odd[1], odd[2]};
        if (product.field == static_cast<int>(parities.size())) parities.push_back(parity);
        WHORL_REQUIRE(parities[static_cast<std::size_t>(product.field)] == parity,
                      "a field of a program has parts that are odd and even about a wall.");
    }
    return parities;
}

} // namespace whorl::programs

// The way of products back to the fields of which they are parts. On the leg of columns fewer values travel
// than products: those that a field needs with one power of kz are summed for each kx and ky, as a model does
// with its stress (models/stress.hpp). For example, the source of the pressure, d_i d_j (u_i u_j), has six
// products and three fluxes.
#pragma once

#include <vector>

#include "base/parity.hpp"
#include "programs/program.hpp"

namespace whorl::programs {

// The flux sum factor kx^a ky^b product of some products. i^turn kz^power times the flux is a part of a
// field.
struct Flux {
    static constexpr int most = 3; // products

    int field = 0;
    int turn = 0, power = 0;
    std::vector<int> products;   // numbers
    std::vector<double> factors; // with a sign for i^2
};

// The fluxes of some products. The first flux has one product. Throws Error if a derivative is of an order
// above 2, or if fields are not numbered as they appear.
std::vector<Flux> fluxes_of(const std::vector<Returned>& products);

// The parities of the fields. Throws Error if between walls a field has parts that are odd and even.
std::vector<Parity> parities_of_fields(const std::vector<Returned>& products,
                                       const std::array<bool, 3>& walls);

} // namespace whorl::programs

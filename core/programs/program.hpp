// A program: operations at each point, on the inputs that a round trip brings there. Operands are
// numbered: inputs, then numbers, then x, y and z, then the results of the instructions in order.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "base/parity.hpp"
#include "programs/operations.hpp"

namespace whorl::programs {

// An operation by its name, with as many operands as it has arguments.
using Instruction = std::pair<std::string, std::vector<int>>;

// The sector in which the angle between k and an axis is in [low, high) (programs/mode_bins.hpp).
struct Sector {
    int axis = -1; // none
    double low = 0.0, high = 0.0;

    bool operator==(const Sector&) const = default;
};

// A term: factor i^(a + b + c) kx^a ky^b kz^c |k|^(2 power) times a component of the state, or of a product
// (numbers after those of the state), for low <= |k| < high. With a radius it is multiplied by the mean of a
// wave over a ball (programs/program_parts.hpp). With a sector it has only the modes there. A term of an
// equation may have a further factor i^turn |k|^exponent exp(-width |k|^2) / (1 + screen |k|^2).
struct Term {
    int field = 0;
    double factor = 1.0;
    std::array<int, 3> derivatives{};
    int power = 0;
    double low = 0.0, high = std::numeric_limits<double>::infinity();
    double radius = 0.0;
    Sector sector{};
    int turn = 0;
    double exponent = 0.0, width = 0.0, screen = 0.0;

    bool operator==(const Term&) const = default;
};

// Inputs, each a sum of terms.
using InputTerms = std::vector<std::vector<Term>>;
// A product among the results on its way back. factor i^(a + b + c) kx^a ky^b kz^c times it is a part of a
// field.
struct Returned {
    int field = 0; // fields are numbered as they first appear
    double factor = 1.0;
    std::array<int, 3> derivatives{};
    std::array<bool, 3> parity{}; // of the product: odd along x, y, z
};

struct Program {
    InputTerms inputs;
    std::vector<double> numbers;
    std::vector<Instruction> instructions;
    std::vector<int> results;
    std::vector<Returned> products; // among the results, in their order
};

// An instruction whose result goes to a place of the workspace. Operands below `inputs` are inputs; those
// from there on are places: first the numbers, then x, y and z, then temporary ones.
struct Step {
    Operation operation;
    int to;
    std::array<int, most_arguments> operands;
};

// Steps whose results are in as few temporary places as possible.
struct Steps {
    int inputs = 0, numbers = 0;
    int places = 0; // numbers, x, y and z, temporary
    std::array<bool, 3> uses_axis{};
    std::vector<Step> steps;
    std::vector<int> results; // operands
};

// Throws Error if an operation is unknown or an operand is not known yet.
Steps compiled(const Program& program);

// The way of products back to the fields of which they are parts. On the leg of columns fewer values travel
// than products: those that a field needs with one power of kz are summed for each kx and ky, as a model does
// with its stress (models/stress.hpp). For example, the source of the pressure, d_i d_j (u_i u_j), has six
// products and three fluxes.

// The flux sum factor kx^a ky^b product of some products. i^i_power kz^power times the flux is a part of a
// field.
struct Flux {
    static constexpr int most = 3; // products

    int field = 0;
    int i_power = 0, power = 0;
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

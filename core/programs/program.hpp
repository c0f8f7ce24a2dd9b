// A program: operations at each point, on the inputs that a round trip brings there. Operands are numbered:
// inputs, then numbers, then x, y and z, then the results of the instructions in order.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

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
// wave over a ball (programs/average.hpp). With a sector it has only the modes there.
struct Term {
    int field = 0;
    double factor = 1.0;
    std::array<int, 3> derivatives{};
    int power = 0;
    double low = 0.0, high = std::numeric_limits<double>::infinity();
    double radius = 0.0;
    Sector sector{};

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

} // namespace whorl::programs

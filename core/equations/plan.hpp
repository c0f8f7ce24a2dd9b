// Equations as numbers. A plan has as tables the functions of a model's class. Python makes it of the text of
// equations (whorl.equations).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/parity.hpp"
#include "equations/row_code.hpp"
#include "models/declaration.hpp"
#include "programs/program.hpp"

namespace whorl::equations {

// The most components of all fields, and of fields that the linear terms connect.
inline constexpr int most_components = 32, most_coupled = 8;

// A part of a rate: factor |k|^exponent.
struct RatePart {
    double factor = 0.0, exponent = 0.0;
};

// A field of one to three components. A solenoidal one has three, or two in a plane without z. The sum of the
// parts is its rate of decay, which is negative where the field grows.
struct Field {
    std::string name;
    int components = 1;
    bool solenoidal = false;
    bool projected = false;                   // its tendency without linear terms has a part along k
    std::array<std::array<bool, 3>, 3> odd{}; // of each component: along x, y, z
    std::vector<RatePart> rate;
};

// A part of a flux: factor i^turn kx^a ky^b product.
struct FluxPart {
    int product = 0;
    double factor = 1.0;
    int a = 0, b = 0, turn = 0;
};

// A tendency of the mean of a component, times a result of the clock unless that is -1.
struct Source {
    int component = 0;
    double factor = 1.0;
    int clock = -1;
};

// Numbers that depend on the time and on means over the points. The clock's program has the time as its first
// input, then the means, each of an input of `forms` or of a product of two.
struct ClockPlan {
    programs::InputTerms forms;
    std::vector<std::array<int, 2>> means; // numbers of forms; a second of -1: of one alone
    programs::Program program;
    // Numbers of the point program, each with the result that it has.
    std::vector<std::array<int, 2>> numbers;
};

// A round trip before that of the tendency. Its products are inner fields, whose components have the numbers
// after those of the state and of earlier rounds. Numbers of its program have results of the clock.
struct Round {
    programs::Program program;
    std::vector<std::array<int, 2>> numbers;
};

// With n the tendency without linear terms, and L and V the linear terms,
//
//   da_c/dt = P n_c + L_c a + V_c a + s_c - rate_c a_c,
//
// where n_c is a sum of terms of fluxes, L_c and V_c are sums of terms of components, by the number `field`
// of a programs::Term. P removes the part along k of projected fields. s_c are sources of the mean. A flux is
// a sum of parts. The point program has the products as its first results. Then follow a bound on the rate of
// an explicit step and the square of a speed. Terms of V have a result of the clock as a further factor.
struct Plan {
    std::vector<Field> fields;
    programs::Program point;
    std::vector<std::array<bool, 3>> odd_products; // of each product
    std::vector<std::vector<FluxPart>> fluxes;
    programs::InputTerms tendency, coupling; // of each component
    programs::InputTerms varying;            // V: always explicit
    std::vector<int> varying_by;             // the results that are factors of its terms, in order
    std::vector<Source> sources;
    ClockPlan clock;
    std::vector<Round> rounds;            // of inner fields, which inputs of the point program may have
    std::vector<std::vector<int>> blocks; // components that the linear terms connect
    int velocity_inputs = 0;              // the first inputs, if they are a velocity, which particles see
    bool amplifies = false;               // the linear terms make some modes grow
    RowCode code{};                       // on threads: functions that stand for tables

    // Names of the mean energies 1/2 <|f|^2> of all fields, then of 1/2 <|grad f|^2>. Set by checked().
    std::vector<std::string> measures{};

    int components() const;
    bool has_clock() const { return !clock.program.results.empty(); }
    int inner_fields() const;
    int widest_inputs() const; // of all round trips of a stage
    int products() const { return static_cast<int>(odd_products.size()); }
};

// The plan with its measures. Throws Error if its numbers do not fit together.
Plan checked(Plan plan);

// Throws Error if the linear terms connect more components than an exact factor has room for.
void require_exact(const Plan& plan);

// The parity of a component, of all components and then all inner fields, and of a flux.
Parity parity_of(const std::array<bool, 3>& odd);
std::vector<Parity> parities_of(const Plan& plan);
FluxParity parity_of(const Plan& plan, const std::vector<FluxPart>& flux);

// The declaration refers to the names of the plan.
Declaration declaration_of(const Plan& plan);

} // namespace whorl::equations

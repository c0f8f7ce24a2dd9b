#include "equations/plan.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "roundtrip/pass.hpp"

namespace whorl::equations {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void require_terms(const programs::InputTerms& sums, int components, int named, const char* what) {
    WHORL_REQUIRE(static_cast<int>(sums.size()) == components,
                  std::string("a plan has ") + what + " of " + std::to_string(sums.size()) +
                      " components, and fields of " + std::to_string(components) + ".");
    for (const auto& sum : sums)
        for (const programs::Term& term : sum)
            WHORL_REQUIRE(term.field >= 0 && term.field < named,
                          std::string("a term of the ") + what + " names number " +
                              std::to_string(term.field) + " of " + std::to_string(named) + ".");
}

void require_fields(const Plan& plan) {
    WHORL_REQUIRE(!plan.fields.empty(), "a plan has no fields.");
    for (const Field& field : plan.fields) {
        WHORL_REQUIRE(field.components >= 1 && field.components <= 3,
                      "field " + field.name + " has " + std::to_string(field.components) +
                          " components: a field has one to three.");
        WHORL_REQUIRE(!field.solenoidal || field.components > 1,
                      "field " + field.name + " is solenoidal, so it has two or three components.");
    }
    WHORL_REQUIRE(plan.components() <= most_components,
                  "equations have " + std::to_string(plan.components()) + " components in all, more than " +
                      std::to_string(most_components) + ": solve for fewer fields.");
}

void require_blocks(const Plan& plan) {
    std::set<int> in_blocks;
    for (const auto& block : plan.blocks) {
        WHORL_REQUIRE(!block.empty(), "a block of linear terms has no components.");
        for (const int component : block)
            WHORL_REQUIRE(component >= 0 && component < plan.components() &&
                              in_blocks.insert(component).second,
                          "component " + std::to_string(component) + " is in two blocks, or unknown.");
    }
    for (const auto& block : plan.blocks)
        for (const int component : block)
            for (const programs::Term& term : plan.coupling[at(component)])
                WHORL_REQUIRE(std::ranges::count(block, term.field) == 1,
                              "a linear term connects components of two blocks.");
    int first = 0;
    for (const Field& field : plan.fields) {
        int coupled = 0;
        for (int c = 0; c < field.components; ++c) coupled += in_blocks.contains(first++);
        WHORL_REQUIRE(coupled == 0 || coupled == field.components,
                      "some components of field " + field.name + " are in a block, and others are not.");
    }
    for (int c = 0; c < plan.components(); ++c)
        WHORL_REQUIRE(plan.coupling[at(c)].empty() || in_blocks.contains(c),
                      "component " + std::to_string(c) + " has linear terms, and is in no block.");
}

void require_program(const Plan& plan) {
    const auto inputs = static_cast<int>(plan.point.inputs.size());
    const int products = plan.products(), fluxes = static_cast<int>(plan.fluxes.size());
    WHORL_REQUIRE(inputs >= 1 && products >= 1 && fluxes >= 1,
                  "equations without a product of fields are no flow: a plan has at least one.");
    for (const int number : {inputs, products, fluxes})
        WHORL_REQUIRE(number <= most_at_run_time,
                      "equations need " + std::to_string(number) +
                          " variables in one round trip, more than " + std::to_string(most_at_run_time) +
                          ": write them with fewer products, or solve for fewer fields.");
    WHORL_REQUIRE(plan.velocity_inputs >= 0 && plan.velocity_inputs <= std::min(inputs, 3),
                  "a plan shows " + std::to_string(plan.velocity_inputs) + " components of a velocity.");
    WHORL_REQUIRE(static_cast<int>(plan.point.results.size()) == products + 2,
                  "a plan's program has " + std::to_string(plan.point.results.size()) + " results for " +
                      std::to_string(products) + " products.");
    for (int p = 0; p < products; ++p)
        WHORL_REQUIRE(plan.point.results[at(p)] >= inputs, "a product is one of the inputs.");
    for (const auto& sum : plan.point.inputs)
        for (const programs::Term& term : sum)
            WHORL_REQUIRE(term.field >= 0 && term.field < plan.components() + plan.inner_fields() &&
                              term.turn == 0,
                          "an input names component " + std::to_string(term.field) + " of " +
                              std::to_string(plan.components()) + ", or is no real field.");
    for (const auto& flux : plan.fluxes) {
        WHORL_REQUIRE(!flux.empty(), "a flux has no parts.");
        for (const FluxPart& part : flux)
            WHORL_REQUIRE(part.product >= 0 && part.product < products && part.a >= 0 && part.b >= 0,
                          "a flux names product " + std::to_string(part.product) + " of " +
                              std::to_string(products) + ", or a negative power.");
    }
}

void require_rounds(const Plan& plan) {
    int known = plan.components();
    for (const Round& round : plan.rounds) {
        const programs::Program& of = round.program;
        const std::size_t products = of.products.size();
        WHORL_REQUIRE(products > 0 && of.results.size() == products && !of.inputs.empty(),
                      "a round of a plan has " + std::to_string(of.results.size()) + " results for " +
                          std::to_string(products) + " inner fields, or no input.");
        for (std::size_t p = 0; p < products; ++p)
            WHORL_REQUIRE(of.products[p].field == static_cast<int>(p),
                          "the inner fields of a plan are not numbered in order.");
        require_terms(of.inputs, static_cast<int>(of.inputs.size()), known, "inner fields");
        for (const auto& [number, result] : round.numbers)
            WHORL_REQUIRE(number >= 0 && number < static_cast<int>(of.numbers.size()) && result >= 0 &&
                              result < static_cast<int>(plan.clock.program.results.size()),
                          "the clock of a plan sets number " + std::to_string(number) + " of a round of " +
                              std::to_string(of.numbers.size()) + ".");
        known += static_cast<int>(products);
    }
}

void require_clock(const Plan& plan) {
    const ClockPlan& clock = plan.clock;
    const auto results = static_cast<int>(clock.program.results.size());
    const auto forms = static_cast<int>(clock.forms.size());
    const auto require_result = [&](int result, const char* what) {
        WHORL_REQUIRE(result >= -1 && result < results, std::string(what) + " needs result " +
                                                            std::to_string(result) + " of a clock of " +
                                                            std::to_string(results) + ".");
    };
    std::size_t terms = 0;
    for (const auto& sum : plan.varying) terms += sum.size();
    WHORL_REQUIRE(plan.varying_by.size() == terms, "a plan has " + std::to_string(terms) +
                                                       " terms that vary, and factors of " +
                                                       std::to_string(plan.varying_by.size()) + ".");
    for (const int result : plan.varying_by) require_result(result, "a linear term");
    for (const Source& source : plan.sources) {
        require_result(source.clock, "a source");
        WHORL_REQUIRE(source.component >= 0 && source.component < plan.components(),
                      "a source is of component " + std::to_string(source.component) + " of " +
                          std::to_string(plan.components()) + ".");
    }
    for (const auto& [number, result] : clock.numbers) {
        require_result(result, "a number");
        WHORL_REQUIRE(result >= 0 && number >= 0 && number < static_cast<int>(plan.point.numbers.size()),
                      "the clock of a plan sets number " + std::to_string(number) + " of " +
                          std::to_string(plan.point.numbers.size()) + ".");
    }
    WHORL_REQUIRE(!plan.has_clock() || clock.program.inputs.size() == 1 + clock.means.size(),
                  "the clock of a plan has " + std::to_string(clock.program.inputs.size()) +
                      " inputs for the time and " + std::to_string(clock.means.size()) + " means.");
    require_terms(clock.forms, forms, plan.components(), "means");
    for (const auto& [first, second] : clock.means)
        WHORL_REQUIRE(first >= 0 && first < forms && second >= -1 && second < forms,
                      "a mean is of a form that a plan does not have.");
}

} // namespace

int Plan::components() const {
    int components = 0;
    for (const Field& field : fields) components += field.components;
    return components;
}

int Plan::inner_fields() const {
    std::size_t inner = 0;
    for (const Round& round : rounds) inner += round.program.products.size();
    return static_cast<int>(inner);
}

int Plan::widest_inputs() const {
    std::size_t most = point.inputs.size();
    for (const Round& round : rounds) most = std::max(most, round.program.inputs.size());
    for (const auto& [first, second] : clock.means) most = std::max<std::size_t>(most, second < 0 ? 1 : 2);
    return static_cast<int>(most);
}

Plan checked(Plan plan) {
    require_fields(plan);
    require_rounds(plan);
    require_program(plan);
    require_terms(plan.tendency, plan.components(), static_cast<int>(plan.fluxes.size()), "tendencies");
    require_terms(plan.coupling, plan.components(), plan.components(), "linear terms");
    plan.varying.resize(static_cast<std::size_t>(plan.components()));
    require_terms(plan.varying, plan.components(), plan.components(), "varying terms");
    require_blocks(plan);
    require_clock(plan);
    plan.measures.clear();
    for (const Field& field : plan.fields) plan.measures.push_back(field.name + "_energy");
    for (const Field& field : plan.fields) plan.measures.push_back(field.name + "_gradients");
    return plan;
}

void require_exact(const Plan& plan) {
    for (const auto& block : plan.blocks)
        WHORL_REQUIRE(static_cast<int>(block.size()) <= most_coupled,
                      "linear terms connect " + std::to_string(block.size()) + " components, more than the " +
                          std::to_string(most_coupled) +
                          " that flow.linear = \"exact\" has room for: give flow.linear = \"explicit\".");
}

Parity parity_of(const std::array<bool, 3>& odd) { return {odd[0], odd[1], odd[2]}; }

std::vector<Parity> parities_of(const Plan& plan) {
    std::vector<Parity> parities;
    for (const Field& field : plan.fields)
        for (int c = 0; c < field.components; ++c) parities.push_back(parity_of(field.odd[at(c)]));
    for (const Round& round : plan.rounds)
        for (const programs::Returned& product : round.program.products)
            parities.push_back(parity_of(product.parity));
    return parities;
}

FluxParity parity_of(const Plan& plan, const std::vector<FluxPart>& flux) {
    const auto of_part = [&](const FluxPart& part) {
        const Parity product = parity_of(plan.odd_products[at(part.product)]);
        return FluxParity{product * Parity{part.a % 2 == 1, part.b % 2 == 1, false},
                          product.sines() % 2 == 1};
    };
    return of_part(flux.front());
}

Declaration declaration_of(const Plan& plan) {
    Declaration of{};
    of.fields = plan.components();
    of.inputs = static_cast<int>(plan.point.inputs.size());
    of.products = plan.products();
    of.fluxes = static_cast<int>(plan.fluxes.size());
    of.inner_fields = plan.inner_fields();
    of.inputs = plan.widest_inputs();
    for (const Round& round : plan.rounds) {
        const auto products = static_cast<int>(round.program.products.size());
        of.products = std::max(of.products, products);
        of.fluxes = std::max(of.fluxes, products);
    }
    for (const Field& field : plan.fields) {
        of.groups.push_back({field.name.c_str(), field.components, field.solenoidal});
        Output output{field.name.c_str(), field.components, {}};
        for (std::size_t c = 0; c < 3; ++c) output.parities[c] = parity_of(field.odd[c]);
        of.outputs.push_back(output);
    }
    for (const std::string& name : plan.measures) of.sums.push_back(name.c_str());
    for (int f = 0; f < static_cast<int>(plan.fields.size()); ++f) of.spectra.push_back(f);
    of.velocity_inputs = plan.velocity_inputs;
    of.has_velocity = plan.velocity_inputs > 0;
    of.amplifies = plan.amplifies;
    return of;
}

} // namespace whorl::equations

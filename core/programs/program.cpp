#include "programs/program.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace whorl::programs {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Gives temporary places to results, and takes them back after the last use.
class Places {
  public:
    Places(int first, std::vector<int> last_uses) : next_(first), last_uses_(std::move(last_uses)) {}

    int place(int result) const { return places_[at(result)]; }
    int count() const { return next_; }
    // The place of the next result; operands that are not used again make room for it.
    int take(const std::vector<int>& results_used) {
        const int now = static_cast<int>(places_.size());
        for (const int used : results_used)
            if (last_uses_[at(used)] == now && std::ranges::find(free_, place(used)) == free_.end())
                free_.push_back(place(used));
        int given = next_;
        if (free_.empty())
            ++next_;
        else {
            given = free_.back();
            free_.pop_back();
        }
        places_.push_back(given);
        return given;
    }

  private:
    int next_;
    std::vector<int> last_uses_, places_, free_;
};

Operation operation_of(const Instruction& instruction) {
    const auto& [name, operands] = instruction;
    const auto found =
        std::ranges::find_if(operation_names, [&name = name](const auto& one) { return one.name == name; });
    WHORL_REQUIRE(found != operation_names.end(), "a program has the unknown operation " + name + ".");
    WHORL_REQUIRE(static_cast<int>(operands.size()) == found->arguments,
                  "the operation " + name + " of a program has " + std::to_string(operands.size()) +
                      " operands instead of " + std::to_string(found->arguments) + ".");
    return static_cast<Operation>(found - operation_names.begin());
}

void require_operand(int operand, int known) {
    WHORL_REQUIRE(operand >= 0 && operand < known, "a program uses operand " + std::to_string(operand) +
                                                       " where there are " + std::to_string(known) + ".");
}

} // namespace

Steps compiled(const Program& program) {
    Steps all;
    all.inputs = static_cast<int>(program.inputs.size());
    all.numbers = static_cast<int>(program.numbers.size());
    const int axes = all.inputs + all.numbers, first = axes + 3;
    const int count = static_cast<int>(program.instructions.size());
    std::vector<int> last_uses(at(count), -1);
    for (int i = 0; i < count; ++i)
        for (const int operand : program.instructions[at(i)].second) {
            require_operand(operand, first + i);
            if (operand >= first) last_uses[at(operand - first)] = i;
        }
    for (const int operand : program.results) {
        require_operand(operand, first + count);
        if (operand >= first) last_uses[at(operand - first)] = std::numeric_limits<int>::max();
    }
    Places places(first, last_uses);
    const auto placed = [&](int operand) {
        if (operand >= axes && operand < first) all.uses_axis[at(operand - axes)] = true;
        return operand < first ? operand : places.place(operand - first);
    };
    for (const Instruction& instruction : program.instructions) {
        Step step{operation_of(instruction), 0, {}};
        std::vector<int> used;
        for (std::size_t i = 0; i < instruction.second.size(); ++i) {
            const int operand = instruction.second[i];
            step.operands[i] = placed(operand);
            if (operand >= first) used.push_back(operand - first);
        }
        for (std::size_t i = instruction.second.size(); i < most_arguments; ++i)
            step.operands[i] = step.operands[0];
        step.to = places.take(used);
        all.steps.push_back(step);
    }
    for (const int operand : program.results) all.results.push_back(placed(operand));
    all.places = places.count() - all.inputs;
    return all;
}

namespace {

bool is_of(const Flux& flux, const Returned& product) {
    const auto [a, b, c] = product.derivatives;
    return flux.field == product.field && flux.power == c && (flux.i_power - (a + b + c)) % 2 == 0 &&
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
        flux->factors.push_back((a + b + c - flux->i_power) % 4 == 0 ? product.factor : -product.factor);
    }
    // The pass itself has one product.
    const auto alone = std::ranges::find_if(fluxes, [](const Flux& one) { return one.products.size() == 1; });
    if (alone != fluxes.end()) {
        std::rotate(fluxes.begin(), alone, alone + 1);
    } else if (!fluxes.empty()) {
        Flux& last = fluxes.back();
        Flux first{last.field, last.i_power, last.power, {last.products.back()}, {last.factors.back()}};
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

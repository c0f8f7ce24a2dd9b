// Lists of names in messages, and values that must be one of some names.
#pragma once

#include <algorithm>
#include <functional>
#include <string>

#include "base/error.hpp"

namespace whorl {

// Returns "a, b, c", or with last = " or " "a, b or c"; name_of(each) is the name of each.
template <class Names, class NameOf = std::identity>
std::string listed(const Names& names, const char* last = ", ", const NameOf& name_of = {}) {
    std::string text;
    auto left = std::size(names);
    for (const auto& each : names) {
        text += text.empty() ? "" : (left == 1 ? last : ", ");
        text += std::invoke(name_of, each);
        --left;
    }
    return text;
}

// The value of an option must be one of the names: else Error says "choose one of: a, b, c" ...
template <class Names>
void require_one_of(const std::string& option, const std::string& value, const Names& names) {
    WHORL_REQUIRE(std::ranges::find(names, value) != std::end(names),
                  option + " = \"" + value + "\" is unknown; choose one of: " + listed(names) + ".");
}
// ... or, of few names, "choose a, b or c".
template <class Names>
void require_either(const std::string& option, const std::string& value, const Names& names) {
    WHORL_REQUIRE(std::ranges::find(names, value) != std::end(names),
                  option + " = \"" + value + "\" is unknown; choose " + listed(names, " or ") + ".");
}

} // namespace whorl

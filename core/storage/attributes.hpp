// What is said about a file beside its data: names with a text, a real number or an integer each.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace whorl::storage {

using Attributes = std::map<std::string, std::variant<std::string, double, std::int64_t>>;

} // namespace whorl::storage

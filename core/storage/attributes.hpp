// Attributes of a file: names, each with a string, a real number or an integer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace whorl::storage {

using Attributes = std::map<std::string, std::variant<std::string, double, std::int64_t>>;

// "none" in a build without HDF5.
std::string hdf5_version();

} // namespace whorl::storage

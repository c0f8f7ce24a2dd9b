#pragma once

#include <string>

namespace whorl::storage {

// "none" where whorl is built without it.
std::string hdf5_version();

} // namespace whorl::storage

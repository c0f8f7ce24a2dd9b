#pragma once

#include <string>

namespace whorl::storage {

// "none" in a build without HDF5.
std::string hdf5_version();

} // namespace whorl::storage

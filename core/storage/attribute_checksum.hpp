// A checksum of the attributes of an HDF5 object: of their names in order, and of the kind, the number and
// the bits of their values. It does not depend on the type in which an integer, real number or text is
// stored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <hdf5.h>

namespace whorl::storage {

// Includes all attributes except those named. Throws Error for values that are neither numbers nor one
// string.
std::uint64_t hash_attributes(hid_t object, const std::vector<std::string>& except);

} // namespace whorl::storage

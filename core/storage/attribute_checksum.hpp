// A checksum of the attributes of an HDF5 object: of their names in order, and of the kind, the number and
// the bits of their values, whatever type of integer, real number or text they are stored as.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <hdf5.h>

namespace whorl::storage {

// Of all but those named. Throws Error for values that are neither numbers nor one text.
std::uint64_t hash_attributes(hid_t object, const std::vector<std::string>& except);

} // namespace whorl::storage

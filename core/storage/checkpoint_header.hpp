// The header of a checkpoint: its modes and fields, and the checksums of its data (docs/checkpoints.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <hdf5.h>

#include "grid/truncation.hpp"
#include "storage/hdf5.hpp"
#include "storage/mode_access.hpp"

namespace whorl::storage {

// A checksum of the attributes of an HDF5 object: of their names in order, and of the kind, the number and
// the bits of their values. It does not depend on the type in which an integer, real number or text is
// stored.

// Includes all attributes except those named. Throws Error for values that are neither numbers nor one
// string.
std::uint64_t hash_attributes(hid_t object, const std::vector<std::string>& except);

// The checksum of all attributes except these two, which are written last. It includes the clock, the case
// and the means.
constexpr const char* attribute_checksum = "attributes";
constexpr const char* completeness = "complete";
// The z component of the mean of a solenoidal field.
inline std::string mean_attribute(const std::string& field) { return field + "_mean_z"; }

// The options that determine the modes.
struct Geometry {
    std::vector<std::int64_t> points;
    std::vector<double> lengths;
    std::string bases, dealias, shape;
    std::string fields; // their names, separated by spaces

    bool operator==(const Geometry&) const = default;
    // Descriptions for messages, of the box alone and of everything.
    std::string box_text() const;
    std::string text() const;
    Box box() const;
    Truncation truncation() const { return {box(), dealias, shape}; }
    std::vector<std::string> field_names() const;
};

Geometry geometry_of(const Box& box, const Truncation& truncation, const std::string& fields);

// `set`: the data are in files of their own.
void write_header(hid_t file, const Geometry& geometry, bool set);
// Throws Error if the file is of another format or version, is incomplete, or if its attributes are not those
// that were written.
Geometry read_header(hid_t file);
// Reads the header on this rank alone, before all ranks open the file; also throws Error if the file is
// missing or not an HDF5 file.
Geometry inspect(const std::string& path);

// Throws Error unless each dataset has the shape (modes, 2) and all have the same precision.
std::vector<Dataset> open_datasets(hid_t file, const std::vector<std::string>& names, std::int64_t modes);

std::string hexadecimal(std::uint64_t value);
std::string checksum_of_attributes(hid_t file);
// The checksum extended by one more field; the result depends on the order of the fields.
std::uint64_t joined(std::uint64_t checksum, std::uint64_t of_field);
// Throws Error if the data are not those that were written.
void require_data(const std::string& found, const std::string& written);

} // namespace whorl::storage

// The head of a checkpoint: which modes of which fields it holds, and what its data are checked against
// (docs/checkpoints.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "grid/truncation.hpp"
#include "storage/hdf5.hpp"
#include "storage/mode_access.hpp"

namespace whorl::storage {

// Of all attributes but these two, which are written last: the clock, the case and the means are among them.
constexpr const char* attribute_checksum = "attributes";
constexpr const char* completeness = "complete";
// The z component of the mean of a solenoidal field.
inline std::string mean_attribute(const std::string& field) { return field + "_mean_z"; }

// What decides which modes there are.
struct Geometry {
    std::vector<std::int64_t> points;
    std::vector<double> lengths;
    std::string bases, dealias, shape;
    std::string fields; // their names, with spaces between

    bool operator==(const Geometry&) const = default;
    // For people; of the box alone, and of all.
    std::string box_text() const;
    std::string text() const;
    Box box() const;
    Truncation truncation() const { return {box(), dealias, shape}; }
    std::vector<std::string> field_names() const;
};

Geometry geometry_of(const Box& box, const Truncation& truncation, const std::string& fields);

void write_header(hid_t file, const Geometry& geometry);
// Throws Error, in words, when the file is foreign, of another version, incomplete, or its attributes are not
// those that were written.
Geometry read_header(hid_t file);
// Of a file that this rank alone opens, before all do; throws Error, too, when it is missing or no HDF5 file.
Geometry inspect(const std::string& path);

// Each has the shape (modes, 2); throws Error when one has not, or when they differ in precision.
std::vector<Dataset> open_datasets(hid_t file, const std::vector<std::string>& names, std::int64_t modes);

std::string hexadecimal(std::uint64_t value);
std::string checksum_of_attributes(hid_t file);
// Of one field more: fields in different places have different sums.
std::uint64_t joined(std::uint64_t checksum, std::uint64_t of_field);
// Throws Error, in words, when data are not those that were written.
void require_data(const std::string& found, const std::string& written);

} // namespace whorl::storage

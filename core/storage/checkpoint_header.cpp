#include "storage/checkpoint_header.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "base/error.hpp"
#include "storage/checksum.hpp"
#include "storage/hdf5.hpp"

namespace whorl::storage {

namespace {

std::uint64_t absorb_text(std::uint64_t hash, const std::string& text) {
    hash = absorb(hash, text.size());
    for (std::size_t begin = 0; begin < text.size(); begin += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + begin, std::min(sizeof word, text.size() - begin));
        hash = absorb(hash, word);
    }
    return hash;
}

std::uint64_t absorb_attribute(std::uint64_t hash, hid_t object, const std::string& name) {
    const AttributeShape shape = shape_of_attribute(object, name);
    hash = absorb(absorb(absorb_text(hash, name), static_cast<std::uint64_t>(shape.kind)), shape.count);
    switch (shape.kind) {
    case H5T_STRING:
        return absorb_text(hash, read_text(object, name));
    case H5T_INTEGER:
        for (const std::int64_t value : read_integers(object, name, shape.count))
            hash = absorb(hash, static_cast<std::uint64_t>(value));
        return hash;
    case H5T_FLOAT:
        for (const double value : read_reals(object, name, shape.count)) hash = absorb(hash, bits(value));
        return hash;
    default:
        throw Error("its attribute " + name + " is neither a number nor a string.");
    }
}

} // namespace

std::uint64_t hash_attributes(hid_t object, const std::vector<std::string>& except) {
    std::uint64_t hash = 0;
    for (const std::string& name : attribute_names(object))
        if (std::ranges::find(except, name) == except.end()) hash = absorb_attribute(hash, object, name);
    return hash;
}

namespace {

const std::string format = declared::checkpoint::format;
constexpr std::int64_t version = declared::checkpoint::version,
                       set_version = declared::checkpoint::set_version;

std::string shortest(double value) {
    std::array<char, 32> text;
    return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
}

} // namespace

std::string Geometry::box_text() const {
    std::string text =
        std::to_string(points[0]) + " x " + std::to_string(points[1]) + " x " + std::to_string(points[2]);
    text += " points, lengths " + shortest(lengths[0]) + " x " + shortest(lengths[1]) + " x " +
            shortest(lengths[2]);
    return text + ", bases " + bases;
}

std::string Geometry::text() const {
    return box_text() + ", dealias " + dealias + ", shape " + shape + ", fields " + fields;
}

Box Geometry::box() const {
    Box box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        box.points[axis] = static_cast<int>(points[axis]);
        box.lengths[axis] = lengths[axis];
    }
    box.walls = parse_bases(bases);
    return box;
}

std::vector<std::string> Geometry::field_names() const {
    std::istringstream words(fields);
    return {std::istream_iterator<std::string>(words), {}};
}

Geometry geometry_of(const Box& box, const Truncation& truncation, const std::string& fields) {
    Geometry geometry{{box.points.begin(), box.points.end()},
                      {box.lengths.begin(), box.lengths.end()},
                      bases_of(box),
                      truncation.dealiasing().name,
                      {},
                      fields};
    const bool corner = truncation.kept(truncation.extent(0), truncation.extent(1), truncation.extent(2));
    geometry.shape = corner ? "cube" : "sphere";
    return geometry;
}

void write_header(hid_t file, const Geometry& geometry, bool set) {
    write_attribute(file, "format", format);
    write_attribute(file, "version", set ? set_version : version);
    write_attribute(file, "points", geometry.points);
    write_attribute(file, "lengths", geometry.lengths);
    write_attribute(file, "bases", geometry.bases);
    write_attribute(file, "dealias", geometry.dealias);
    write_attribute(file, "shape", geometry.shape);
    write_attribute(file, "fields", geometry.fields);
}

Geometry read_header(hid_t file) {
    WHORL_REQUIRE(has_attribute(file, "format") && read_text(file, "format") == format,
                  "it is an HDF5 file, but not a checkpoint of whorl.");
    const std::int64_t found_version = read_integers(file, "version", 1)[0];
    WHORL_REQUIRE(found_version == version || found_version == set_version,
                  "its format is version " + std::to_string(found_version) +
                      ", but this whorl reads version " + std::to_string(version) + " and " +
                      std::to_string(set_version) + ".");
    WHORL_REQUIRE(has_attribute(file, completeness),
                  "it is incomplete: its writer was stopped before the end.");
    const std::string written = read_text(file, attribute_checksum), there = checksum_of_attributes(file);
    WHORL_REQUIRE(written == there, "its attributes are damaged, or were changed: they have the checksum " +
                                        there + ", but were written with " + written + ".");
    return {read_integers(file, "points", 3), read_reals(file, "lengths", 3), read_text(file, "bases"),
            read_text(file, "dealias"),       read_text(file, "shape"),       read_text(file, "fields")};
}

Geometry inspect(const std::string& path) {
    WHORL_REQUIRE(std::filesystem::is_regular_file(path), "there is no such file.");
    WHORL_REQUIRE(is_hdf5(path), "it is not an HDF5 file, or its beginning is damaged.");
    const File file = open_file(path);
    return read_header(file.id());
}

std::vector<Dataset> open_datasets(hid_t file, const std::vector<std::string>& names, std::int64_t modes) {
    const Shape shape{static_cast<hsize_t>(modes), 2};
    std::vector<Dataset> data;
    for (const std::string& name : names) {
        data.push_back(open_dataset(file, name));
        WHORL_REQUIRE(shape_of(data.back()) == shape,
                      "its data are not those of the " + std::to_string(modes) + " modes of its grid.");
        WHORL_REQUIRE(real_bytes(data.back()) == real_bytes(data.front()),
                      "its components differ in precision.");
    }
    return data;
}

std::string hexadecimal(std::uint64_t value) {
    std::string text(16, '0');
    for (std::size_t digit = 16; digit-- > 0; value >>= 4) text[digit] = "0123456789abcdef"[value & 15];
    return text;
}

std::string checksum_of_attributes(hid_t file) {
    return hexadecimal(hash_attributes(file, {attribute_checksum, completeness}));
}

std::uint64_t joined(std::uint64_t checksum, std::uint64_t of_field) { return mix(checksum) + of_field; }

void require_data(const std::string& found, const std::string& written) {
    WHORL_REQUIRE(found == written, "its data are damaged: they have the checksum " + found +
                                        ", but were written with " + written + ".");
}

} // namespace whorl::storage

#include "storage/checkpoint.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <filesystem>

#include "storage/checksum.hpp"
#include "storage/mode_data.hpp"
#include "storage/whole_file.hpp"

namespace whorl::storage {

namespace {

const std::string format = "whorl checkpoint";
constexpr std::int64_t version = 1;
// Attributes of the file itself, which the caller's must not be called.
constexpr std::array own_attributes{"format", "version", "points",   "lengths", "dealias",
                                    "shape",  "mean_z",  "checksum", "complete"};

std::string shortest(double value) {
    std::array<char, 32> text;
    return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
}

// What decides which modes there are.
struct Geometry {
    std::vector<std::int64_t> points;
    std::vector<double> lengths;
    std::string dealias, shape;

    bool operator==(const Geometry&) const = default;
    std::string text() const {
        std::string text =
            std::to_string(points[0]) + " x " + std::to_string(points[1]) + " x " + std::to_string(points[2]);
        text += " points, lengths " + shortest(lengths[0]) + " x " + shortest(lengths[1]) + " x " +
                shortest(lengths[2]);
        return text + ", dealias " + dealias + ", shape " + shape;
    }
};

Geometry geometry_of(const Box& box, const Truncation& truncation) {
    Geometry geometry{
        {box.points.begin(), box.points.end()}, {box.lengths.begin(), box.lengths.end()}, {}, {}};
    for (const char* name : {"2/3", "phase-shift", "phase-shift-exact", "none"})
        if (parse_dealias(name) == truncation.dealias()) geometry.dealias = name;
    const bool corner = truncation.kept(truncation.extent(0), truncation.extent(1), truncation.extent(2));
    geometry.shape = corner ? "cube" : "sphere";
    return geometry;
}

std::string hexadecimal(std::uint64_t value) {
    std::string text(16, '0');
    for (std::size_t digit = 16; digit-- > 0; value >>= 4) text[digit] = "0123456789abcdef"[value & 15];
    return text;
}

void write_header(hid_t file, const Geometry& geometry, const std::array<double, 2>& mean_z) {
    write_attribute(file, "format", format);
    write_attribute(file, "version", version);
    write_attribute(file, "points", geometry.points);
    write_attribute(file, "lengths", geometry.lengths);
    write_attribute(file, "dealias", geometry.dealias);
    write_attribute(file, "shape", geometry.shape);
    write_attribute(file, "mean_z", mean_z);
}

void require_header(hid_t file, const Geometry& expected) {
    WHORL_REQUIRE(has_attribute(file, "format") && read_text(file, "format") == format,
                  "it is an HDF5 file, but not a checkpoint of whorl.");
    const std::int64_t found_version = read_integers(file, "version", 1)[0];
    WHORL_REQUIRE(found_version == version, "its format is version " + std::to_string(found_version) +
                                                ", but this whorl reads version " + std::to_string(version) +
                                                ".");
    WHORL_REQUIRE(has_attribute(file, "complete"),
                  "it is incomplete: its writer was stopped before the end.");
    const Geometry found{read_integers(file, "points", 3), read_reals(file, "lengths", 3),
                         read_text(file, "dealias"), read_text(file, "shape")};
    WHORL_REQUIRE(found == expected, "it holds " + found.text() + ", but this run has " + expected.text() +
                                         ". Restart with the grid of the checkpoint.");
}

// On one rank, before all open the file: what is wrong with it, in words.
void inspect(const std::string& path, const Geometry& expected) {
    WHORL_REQUIRE(std::filesystem::is_regular_file(path), "there is no such file.");
    WHORL_REQUIRE(is_hdf5(path), "it is not an HDF5 file, or its beginning is damaged.");
    const File file = open_file(path, MPI_COMM_SELF);
    require_header(file.id(), expected);
}

ModeOffsets create_mode_data(hid_t file, std::int64_t modes, hid_t type) {
    const Shape shape{static_cast<hsize_t>(modes), 2};
    return {offset_of(create_dataset(file, "first", type, shape)),
            offset_of(create_dataset(file, "second", type, shape))};
}

ModeData open_mode_data(hid_t file, std::int64_t modes) {
    ModeData data{open_dataset(file, "first"), open_dataset(file, "second")};
    const Shape shape{static_cast<hsize_t>(modes), 2};
    WHORL_REQUIRE(shape_of(data.first) == shape && shape_of(data.second) == shape,
                  "its data are not those of the " + std::to_string(modes) + " modes of this grid.");
    WHORL_REQUIRE(real_bytes(data.first) == real_bytes(data.second),
                  "its two components differ in precision.");
    return data;
}

// The z component of the mean, which one rank has, on all.
template <class Real>
std::array<double, 2> shared_mean_z(const ModeShare& share, const Complex<Real>* field,
                                    const exchange::Communicator& world) {
    std::array<std::uint64_t, 2> words{0, 0}; // summed as integers, so that every bit survives
    if (share.holds_mean()) {
        const Complex<Real> mean = field[2 * share.table.modes() + share.table.rows().front().offset];
        words = {bits(static_cast<double>(mean.re)), bits(static_cast<double>(mean.im))};
    }
    world.sum(words);
    return {std::bit_cast<double>(words[0]), std::bit_cast<double>(words[1])};
}

} // namespace

template <class Real>
void write_checkpoint(const std::string& path, const Attributes& attributes, const Box& box,
                      const Truncation& truncation, const RowTable& table, const Complex<Real>* field,
                      const exchange::Communicator& world) {
    const std::string context = "the checkpoint " + path + " cannot be written";
    for (const char* name : own_attributes)
        WHORL_REQUIRE(!attributes.contains(name), context + ": the attribute name \"" + name +
                                                      "\" belongs to the format; choose another.");
    const ModeShare share{box, truncation, table};
    const std::array<double, 2> mean_z = shared_mean_z(share, field, world);
    std::uint64_t checksum = 0;

    ModeOffsets offsets{};

    WholeFile file(path, context, world);
    file.describe([&](hid_t id) {
        write_header(id, geometry_of(box, truncation), mean_z);
        write_attributes(id, attributes);
        offsets = create_mode_data(id, share.order.total(), native_type<Real>());
    });
    world.broadcast(&offsets, sizeof offsets, 0);
    together(world, context, [&] { checksum = write_modes(file, offsets, share, field); });
    world.sum({&checksum, 1});
    file.describe([&](hid_t id) {
        write_attribute(id, "checksum", hexadecimal(checksum));
        write_attribute(id, "complete", std::int64_t{1});
    });
    file.finish();
}

template <class Real>
Attributes read_checkpoint(const std::string& path, const Box& box, const Truncation& truncation,
                           const RowTable& table, Complex<Real>* field, const exchange::Communicator& world) {
    const std::string context = "the checkpoint " + path + " cannot be read";
    together(world, context, [&] {
        if (world.rank() == 0) inspect(path, geometry_of(box, truncation));
    });
    const ModeShare share{box, truncation, table};
    File file;
    ModeData data;
    Attributes attributes;
    std::string written;
    std::uint64_t checksum = 0;
    together(world, context, [&] {
        file = open_file(path, world.handle());
        data = open_mode_data(file.id(), share.order.total());
        attributes = read_attributes(file.id());
        written = read_text(file.id(), "checksum");
    });
    together(world, context, [&] {
        const std::vector<double> mean_z = read_reals(file.id(), "mean_z", 2);
        checksum = read_modes(data, share, {mean_z[0], mean_z[1]}, field);
    });
    world.sum({&checksum, 1});
    WHORL_REQUIRE(hexadecimal(checksum) == written,
                  context + ": its data are damaged: they have the checksum " + hexadecimal(checksum) +
                      ", but were written with " + written + ".");
    for (const char* name : own_attributes) attributes.erase(name);
    return attributes;
}

template void write_checkpoint(const std::string&, const Attributes&, const Box&, const Truncation&,
                               const RowTable&, const Complex<float>*, const exchange::Communicator&);
template void write_checkpoint(const std::string&, const Attributes&, const Box&, const Truncation&,
                               const RowTable&, const Complex<double>*, const exchange::Communicator&);
template Attributes read_checkpoint(const std::string&, const Box&, const Truncation&, const RowTable&,
                                    Complex<float>*, const exchange::Communicator&);
template Attributes read_checkpoint(const std::string&, const Box&, const Truncation&, const RowTable&,
                                    Complex<double>*, const exchange::Communicator&);

} // namespace whorl::storage

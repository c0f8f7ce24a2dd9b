#include "storage/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <filesystem>

#include "storage/attribute_checksum.hpp"
#include "storage/checksum.hpp"
#include "storage/mode_data.hpp"
#include "storage/whole_file.hpp"

namespace whorl::storage {

namespace {

const std::string format = "whorl checkpoint";
constexpr std::int64_t version = 3;
// Attributes of the file itself, which the caller's must not be called.
constexpr std::array own_attributes{
    "format",   "version",  "points",     "lengths",          "bases",     "dealias", "shape", "fields",
    "checksum", "complete", "earlier_dt", "earlier_checksum", "attributes"};
// Of all attributes but these two, which are written last: the clock, the case and the means are among them.
const std::string attribute_checksum = "attributes", completeness = "complete";
std::string mean_attribute(const std::string& field) { return field + "_mean_z"; }

std::string shortest(double value) {
    std::array<char, 32> text;
    return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
}

// What decides which modes there are.
struct Geometry {
    std::vector<std::int64_t> points;
    std::vector<double> lengths;
    std::string bases, dealias, shape;
    std::string fields; // their names, with spaces between

    bool operator==(const Geometry&) const = default;
    std::string text() const {
        std::string text =
            std::to_string(points[0]) + " x " + std::to_string(points[1]) + " x " + std::to_string(points[2]);
        text += " points, lengths " + shortest(lengths[0]) + " x " + shortest(lengths[1]) + " x " +
                shortest(lengths[2]);
        text += ", bases " + bases;
        return text + ", dealias " + dealias + ", shape " + shape + ", fields " + fields;
    }
};

template <class Real>
Geometry geometry_of(const Box& box, const Truncation& truncation,
                     const std::vector<StoredField<Real>>& fields) {
    Geometry geometry{{box.points.begin(), box.points.end()},
                      {box.lengths.begin(), box.lengths.end()},
                      bases_of(box),
                      {},
                      {},
                      {}};
    for (const StoredField<Real>& field : fields)
        geometry.fields += (geometry.fields.empty() ? "" : " ") + field.name;
    for (const char* name : {"1/2", "2/3", "phase-shift", "phase-shift-exact", "none"})
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

std::string checksum_of_attributes(hid_t file) {
    return hexadecimal(hash_attributes(file, {attribute_checksum, completeness}));
}

void write_header(hid_t file, const Geometry& geometry) {
    write_attribute(file, "format", format);
    write_attribute(file, "version", version);
    write_attribute(file, "points", geometry.points);
    write_attribute(file, "lengths", geometry.lengths);
    write_attribute(file, "bases", geometry.bases);
    write_attribute(file, "dealias", geometry.dealias);
    write_attribute(file, "shape", geometry.shape);
    write_attribute(file, "fields", geometry.fields);
}

void require_header(hid_t file, const Geometry& expected) {
    WHORL_REQUIRE(has_attribute(file, "format") && read_text(file, "format") == format,
                  "it is an HDF5 file, but not a checkpoint of whorl.");
    const std::int64_t found_version = read_integers(file, "version", 1)[0];
    WHORL_REQUIRE(found_version == version, "its format is version " + std::to_string(found_version) +
                                                ", but this whorl reads version " + std::to_string(version) +
                                                ".");
    WHORL_REQUIRE(has_attribute(file, completeness),
                  "it is incomplete: its writer was stopped before the end.");
    const std::string written = read_text(file, attribute_checksum), there = checksum_of_attributes(file);
    WHORL_REQUIRE(written == there, "its attributes are damaged, or were changed: they have the checksum " +
                                        there + ", but were written with " + written + ".");
    const Geometry found{read_integers(file, "points", 3), read_reals(file, "lengths", 3),
                         read_text(file, "bases"),         read_text(file, "dealias"),
                         read_text(file, "shape"),         read_text(file, "fields")};
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

// Where the datasets of a field begin in the file.
template <class Real>
std::vector<std::int64_t> create_datasets(hid_t file, const StoredField<Real>& field, std::int64_t modes) {
    const Shape shape{static_cast<hsize_t>(modes), 2};
    std::vector<std::int64_t> offsets;
    for (const std::string& name : field.datasets())
        offsets.push_back(offset_of(create_dataset(file, name, native_type<Real>(), shape)));
    return offsets;
}

template <class Real>
std::vector<Dataset> open_datasets(hid_t file, const StoredField<Real>& field, std::int64_t modes) {
    const Shape shape{static_cast<hsize_t>(modes), 2};
    std::vector<Dataset> data;
    for (const std::string& name : field.datasets()) {
        data.push_back(open_dataset(file, name));
        WHORL_REQUIRE(shape_of(data.back()) == shape,
                      "its data are not those of the " + std::to_string(modes) + " modes of this grid.");
        WHORL_REQUIRE(real_bytes(data.back()) == real_bytes(data.front()),
                      "its components differ in precision.");
    }
    return data;
}

// The z component of the mean, which one rank has, on all.
template <class Real>
std::array<double, 2> shared_mean_z(const ModeShare& share, const Complex<Real>* field,
                                    ModeAccess<Real>& access, const exchange::Communicator& world) {
    std::array<std::uint64_t, 2> words{0, 0}; // summed as integers, so that every bit survives
    if (share.holds_mean()) {
        const Complex<Real> mean =
            access.mode(field + 2 * share.table.modes() + share.table.rows().front().offset);
        words = {bits(static_cast<double>(mean.re)), bits(static_cast<double>(mean.im))};
    }
    world.sum(words);
    return {std::bit_cast<double>(words[0]), std::bit_cast<double>(words[1])};
}

// Fields in different places have different sums.
std::uint64_t joined(std::uint64_t checksum, std::uint64_t of_field) { return mix(checksum) + of_field; }

template <class Real> using FieldSet = std::vector<StoredField<Real>>;

// The state, and behind it the steps that are remembered.
template <class Real>
std::vector<FieldSet<Real>> sets_of(const FieldSet<Real>& fields, const EarlierSteps<Real>& earlier,
                                    std::size_t steps) {
    std::vector<FieldSet<Real>> sets{fields};
    for (std::size_t j = 0; j < steps; ++j) sets.push_back(earlier.fields[j]);
    return sets;
}

// Checksums of the sets, that of a step its dt included.
using Checksums = std::vector<std::uint64_t>;
void add_steps(Checksums& checksums, const std::vector<double>& dt) {
    for (std::size_t j = 0; j < dt.size(); ++j) checksums[1 + j] = joined(checksums[1 + j], bits(dt[j]));
}
std::string text_of_steps(const Checksums& checksums) {
    std::string text;
    for (std::size_t j = 1; j < checksums.size(); ++j) {
        if (j > 1) text += ' ';
        text += hexadecimal(checksums[j]);
    }
    return text;
}

// Of the earlier steps in a file.
std::vector<double> read_earlier_dt(hid_t file) {
    if (!has_attribute(file, "earlier_dt")) return {};
    const std::string checksums = read_text(file, "earlier_checksum");
    return read_reals(file, "earlier_dt", 1 + static_cast<std::size_t>(std::ranges::count(checksums, ' ')));
}

template <class Real> struct CheckpointWriter {
    const std::string& context;
    const ModeShare& share;
    ModeAccess<Real>& access;
    const exchange::Communicator& world;
    WholeFile& file;

    // In the order of the sets and their fields.
    std::vector<std::vector<std::int64_t>> create(const std::vector<FieldSet<Real>>& sets) {
        std::vector<std::array<double, 2>> mean_z;
        for (const FieldSet<Real>& set : sets)
            for (const StoredField<Real>& field : set)
                mean_z.push_back(field.solenoidal ? shared_mean_z(share, field.data, access, world)
                                                  : std::array<double, 2>{});
        std::vector<std::vector<std::int64_t>> offsets(mean_z.size());
        file.describe([&](hid_t id) {
            std::size_t f = 0;
            for (const FieldSet<Real>& set : sets)
                for (const StoredField<Real>& field : set) {
                    if (field.solenoidal) write_attribute(id, mean_attribute(field.name), mean_z[f]);
                    offsets[f++] = create_datasets(id, field, share.order.total());
                }
        });
        return offsets;
    }

    std::uint64_t write(const StoredField<Real>& field, std::vector<std::int64_t>& offsets) {
        offsets.resize(field.datasets().size());
        world.broadcast(offsets.data(), offsets.size() * sizeof(std::int64_t), 0);
        std::uint64_t checksum = 0;
        together(world, context, [&] { checksum = write_modes(file, offsets, share, field, access); });
        world.sum({&checksum, 1});
        return checksum;
    }
};

template <class Real> struct CheckpointReader {
    const std::string& context;
    const ModeShare& share;
    ModeAccess<Real>& access;
    const exchange::Communicator& world;
    hid_t file;

    std::uint64_t read(const StoredField<Real>& field) {
        std::vector<Dataset> data;
        std::uint64_t checksum = 0;
        together(world, context, [&] { data = open_datasets(file, field, share.order.total()); });
        together(world, context, [&] {
            std::vector<double> mean_z{0.0, 0.0};
            if (field.solenoidal) mean_z = read_reals(file, mean_attribute(field.name), 2);
            checksum = read_modes(data, share, {mean_z[0], mean_z[1]}, field, access);
        });
        world.sum({&checksum, 1});
        return checksum;
    }
};

} // namespace

template <class Real>
void write_checkpoint(const std::string& path, const Attributes& attributes, const Box& box,
                      const Truncation& truncation, const RowTable& table,
                      const std::vector<StoredField<Real>>& fields, const EarlierSteps<Real>& earlier,
                      ModeAccess<Real>& access, const exchange::Communicator& world) {
    const std::string context = "the checkpoint " + path + " cannot be written";
    for (const char* name : own_attributes)
        WHORL_REQUIRE(!attributes.contains(name), context + ": the attribute name \"" + name +
                                                      "\" belongs to the format; choose another.");
    const ModeShare share{box, truncation, table};
    const std::vector<FieldSet<Real>> sets = sets_of(fields, earlier, earlier.dt.size());
    WholeFile file(path, context, world);
    file.describe([&](hid_t id) {
        write_header(id, geometry_of(box, truncation, fields));
        write_attributes(id, attributes);
    });
    CheckpointWriter<Real> writer{context, share, access, world, file};
    auto offsets = writer.create(sets);
    Checksums checksums(sets.size());
    std::size_t f = 0;
    for (std::size_t set = 0; set < sets.size(); ++set)
        for (const StoredField<Real>& field : sets[set])
            checksums[set] = joined(checksums[set], writer.write(field, offsets[f++]));
    add_steps(checksums, earlier.dt);
    file.describe([&](hid_t id) {
        write_attribute(id, "checksum", hexadecimal(checksums.front()));
        if (!earlier.dt.empty()) {
            write_attribute(id, "earlier_dt", earlier.dt);
            write_attribute(id, "earlier_checksum", text_of_steps(checksums));
        }
        write_attribute(id, attribute_checksum, checksum_of_attributes(id));
        write_attribute(id, completeness, std::int64_t{1});
    });
    file.finish();
}

template <class Real>
void read_checkpoint(const std::string& path, const Box& box, const Truncation& truncation,
                     const RowTable& table, const std::vector<StoredField<Real>>& fields,
                     EarlierSteps<Real>& earlier, ModeAccess<Real>& access,
                     const exchange::Communicator& world) {
    const std::string context = "the checkpoint " + path + " cannot be read";
    together(world, context, [&] {
        if (world.rank() == 0) inspect(path, geometry_of(box, truncation, fields));
    });
    const ModeShare share{box, truncation, table};
    File file;
    std::string written, written_steps;
    together(world, context, [&] {
        file = open_file(path, world.handle());
        written = read_text(file.id(), "checksum");
        earlier.dt = read_earlier_dt(file.id());
        if (!earlier.dt.empty()) written_steps = read_text(file.id(), "earlier_checksum");
    });
    earlier.dt.resize(std::min(earlier.dt.size(), earlier.fields.size()));
    const std::vector<FieldSet<Real>> sets = sets_of(fields, earlier, earlier.dt.size());
    CheckpointReader<Real> reader{context, share, access, world, file.id()};
    Checksums checksums(sets.size());
    for (std::size_t set = 0; set < sets.size(); ++set)
        for (const StoredField<Real>& field : sets[set])
            checksums[set] = joined(checksums[set], reader.read(field));
    add_steps(checksums, earlier.dt);
    const auto check = [&](const std::string& found, const std::string& expected) {
        WHORL_REQUIRE(found == expected, context + ": its data are damaged: they have the checksum " + found +
                                             ", but were written with " + expected + ".");
    };
    check(hexadecimal(checksums.front()), written);
    check(text_of_steps(checksums), written_steps.substr(0, text_of_steps(checksums).size()));
}

using Communicator = exchange::Communicator;
#define WHORL_INSTANTIATE(Real)                                                                              \
    template void write_checkpoint(const std::string&, const Attributes&, const Box&, const Truncation&,     \
                                   const RowTable&, const FieldSet<Real>&, const EarlierSteps<Real>&,        \
                                   ModeAccess<Real>&, const Communicator&);                                  \
    template void read_checkpoint(const std::string&, const Box&, const Truncation&, const RowTable&,        \
                                  const FieldSet<Real>&, EarlierSteps<Real>&, ModeAccess<Real>&,             \
                                  const Communicator&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl::storage

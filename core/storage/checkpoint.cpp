#include "storage/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "storage/checkpoint_header.hpp"
#include "storage/checksum.hpp"
#include "storage/mode_data.hpp"
#include "storage/whole_file.hpp"

namespace whorl::storage {

namespace {

// Names of the format's own attributes, which the caller must not use.
constexpr std::array own_attributes{
    "format",   "version",  "points",     "lengths",          "bases",     "dealias", "shape", "fields",
    "checksum", "complete", "earlier_dt", "earlier_checksum", "attributes"};

// Creates the datasets of a field and returns their offsets in the file.
template <class Real>
std::vector<std::int64_t> create_datasets(hid_t file, const StoredField<Real>& field, std::int64_t modes) {
    const Shape shape{static_cast<hsize_t>(modes), 2};
    std::vector<std::int64_t> offsets;
    for (const std::string& name : field.datasets())
        offsets.push_back(offset_of(create_dataset(file, name, native_type<Real>(), shape)));
    return offsets;
}

// The z component of the mean, which one rank holds, on all ranks.
template <class Real>
std::array<double, 2> shared_mean_z(const ModeShare& share, const Complex<Real>* field,
                                    ModeAccess<Real>& access, const exchange::Communicator& world) {
    std::array<std::uint64_t, 2> words{0, 0}; // summed as integers, which keeps every bit
    if (share.holds_mean()) {
        const Complex<Real> mean =
            access.mode(field + 2 * share.table.modes() + share.table.rows().front().offset);
        words = {bits(static_cast<double>(mean.re)), bits(static_cast<double>(mean.im))};
    }
    world.sum(words);
    return {std::bit_cast<double>(words[0]), std::bit_cast<double>(words[1])};
}

template <class Real> using FieldSet = std::vector<StoredField<Real>>;

template <class Real> std::string names_of(const FieldSet<Real>& fields) {
    std::string names;
    for (const StoredField<Real>& field : fields) names += (names.empty() ? "" : " ") + field.name;
    return names;
}

// The state, followed by the remembered steps.
template <class Real>
std::vector<FieldSet<Real>> sets_of(const FieldSet<Real>& fields, const EarlierSteps<Real>& earlier,
                                    std::size_t steps) {
    std::vector<FieldSet<Real>> sets{fields};
    for (std::size_t j = 0; j < steps; ++j) sets.push_back(earlier.fields[j]);
    return sets;
}

// Checksums of the sets; that of a step includes its dt.
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

// Step sizes of the earlier steps in a file.
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

    // Returns the offsets of the datasets, in the order of the sets and their fields.
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
        together(world, context, [&] { data = open_datasets(file, field.datasets(), share.order.total()); });
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
                                                      "\" is reserved by the format; choose another.");
    const ModeShare share{box, truncation, table};
    const std::vector<FieldSet<Real>> sets = sets_of(fields, earlier, earlier.dt.size());
    WholeFile file(path, context, world);
    file.describe([&](hid_t id) {
        write_header(id, geometry_of(box, truncation, names_of(fields)));
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
        if (world.rank() != 0) return;
        const Geometry found = inspect(path), expected = geometry_of(box, truncation, names_of(fields));
        WHORL_REQUIRE(found == expected, "it holds " + found.text() + ", but this run has " +
                                             expected.text() + ". Restart with the grid of the checkpoint.");
    });
    const ModeShare share{box, truncation, table};
    File file;
    std::string written, written_steps;
    together(world, context, [&] {
        file = open_file(path);
        written = read_text(file.id(), "checksum");
        if (has_attribute(file.id(), "time")) earlier.time = read_reals(file.id(), "time", 1).front();
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
    together(world, context, [&] {
        require_data(hexadecimal(checksums.front()), written);
        const std::string of_steps = text_of_steps(checksums);
        require_data(of_steps, written_steps.substr(0, of_steps.size()));
    });
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

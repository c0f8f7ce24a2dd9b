#include "storage/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "storage/checkpoint_header.hpp"
#include "storage/checksum.hpp"
#include "storage/data_reader.hpp"
#include "storage/data_writer.hpp"
#include "storage/whole_file.hpp"

namespace whorl::storage {

namespace {

// Names of the format's own attributes, which the caller must not use.
constexpr std::array own_attributes{"format",     "version",     "points",     "lengths",
                                    "bases",      "dealias",     "shape",      "fields",
                                    "checksum",   "complete",    "earlier_dt", "earlier_checksum",
                                    "attributes", "data_folder", "data_files"};

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

// The fields of all sets, one after another, with the places and checksums of their data.
template <class Real> struct CheckpointWriter {
    const ModeShare& share;
    ModeAccess<Real>& access;
    const exchange::Communicator& world;
    WholeFile& file;
    DataWriter& data;

    struct Written {
        const StoredField<Real>& field;
        std::vector<std::int64_t> offsets;
        std::uint64_t checksum;
    };

    // Returns the checksums of the sets.
    template <class Stored> Checksums write(const std::vector<FieldSet<Real>>& sets) {
        std::vector<std::vector<Written>> written(sets.size());
        for (std::size_t set = 0; set < sets.size(); ++set)
            for (const StoredField<Real>& field : sets[set]) {
                if (field.solenoidal) write_mean(field);
                written[set].push_back({field, data.create<Stored>(field.datasets()), 0});
            }
        Checksums checksums(sets.size());
        for (std::size_t set = 0; set < sets.size(); ++set) {
            for (Written& one : written[set]) {
                one.checksum = data.write<Stored>(one.offsets, share.order, one.field, access);
                checksums[set] = joined(checksums[set], one.checksum);
            }
            data.end_state();
        }
        data.settle();
        for (const std::vector<Written>& set : written)
            for (const Written& one : set)
                data.check<Stored>(one.offsets, share.order, one.field, one.checksum, access);
        return checksums;
    }

    void write_mean(const StoredField<Real>& field) {
        const std::array<double, 2> mean_z = shared_mean_z(share, field.data, access, world);
        file.describe([&](hid_t id) { write_attribute(id, mean_attribute(field.name), mean_z); });
    }
};

template <class Real> struct CheckpointReader {
    const std::string& context;
    const ModeShare& share;
    ModeAccess<Real>& access;
    const exchange::Communicator& world;
    hid_t file;
    DataReader& data;
    ModePlaces places;

    void read(const StoredField<Real>& field, FileSums& sums) {
        FieldData opened;
        SumsOfFiles found;
        together(world, context, [&] { opened = data.open(field.datasets(), share.order, places); });
        together(world, context, [&] {
            std::vector<double> mean_z{0.0, 0.0};
            if (field.solenoidal) mean_z = read_reals(file, mean_attribute(field.name), 2);
            found = read_modes(opened, share.order, places, {mean_z[0], mean_z[1]}, field, access);
        });
        sums.add(found, world);
    }
};

std::string context_of(const std::string& path) { return "the checkpoint " + path + " cannot be written"; }

class CheckpointInProgress final : public UnfinishedCheckpoint {
  public:
    template <class Real>
    CheckpointInProgress(const std::string& path, const CheckpointKind& kind, const Attributes& attributes,
                         const ModeShare& share, const std::vector<StoredField<Real>>& fields,
                         const EarlierSteps<Real>& earlier, ModeAccess<Real>& access,
                         const exchange::Communicator& world)
        : path_(path), context_(context_of(path)), world_(world), earlier_dt_(earlier.dt),
          file_(path, context_, world) {
        file_.describe([&](hid_t id) {
            write_header(id, geometry_of(share.box, share.truncation, names_of(fields)),
                         kind.group != nullptr);
            write_attributes(id, attributes);
        });
        data_ =
            std::make_unique<DataWriter>(file_, path_, context_, share.order, world, kind.group, kind.held);
        CheckpointWriter<Real> writer{share, access, world, file_, *data_};
        const std::vector<FieldSet<Real>> sets = sets_of(fields, earlier, earlier.dt.size());
        checksums_ = kind.single ? writer.template write<float>(sets) : writer.template write<Real>(sets);
        add_steps(checksums_, earlier.dt);
    }

    bool ready() const override { return data_->ready(); }
    void finish() override {
        data_->finish();
        file_.describe([&](hid_t id) {
            write_attribute(id, "checksum", hexadecimal(checksums_.front()));
            if (!earlier_dt_.empty()) {
                write_attribute(id, "earlier_dt", earlier_dt_);
                write_attribute(id, "earlier_checksum", text_of_steps(checksums_));
            }
            write_attribute(id, attribute_checksum, checksum_of_attributes(id));
            write_attribute(id, completeness, std::int64_t{1});
        });
        file_.finish();
        data_->keep();
        if (world_.rank() == 0) remove_data(path_, data_->folder());
    }

  private:
    std::string path_, context_;
    const exchange::Communicator& world_;
    std::vector<double> earlier_dt_;
    Checksums checksums_;
    WholeFile file_;
    std::unique_ptr<DataWriter> data_;
};

} // namespace

template <class Real>
std::unique_ptr<UnfinishedCheckpoint>
begin_checkpoint(const std::string& path, const CheckpointKind& kind, const Attributes& attributes,
                 const Box& box, const Truncation& truncation, const RowTable& table,
                 const std::vector<StoredField<Real>>& fields, const EarlierSteps<Real>& earlier,
                 ModeAccess<Real>& access, const exchange::Communicator& world) {
    for (const char* name : own_attributes)
        WHORL_REQUIRE(!attributes.contains(name), context_of(path) + ": the attribute name \"" + name +
                                                      "\" is reserved by the format; choose another.");
    const ModeShare share{box, truncation, table};
    return std::make_unique<CheckpointInProgress>(path, kind, attributes, share, fields, earlier, access,
                                                  world);
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
    std::string written_steps;
    together(world, context, [&] {
        file = open_file(path);
        if (has_attribute(file.id(), "time")) earlier.time = read_reals(file.id(), "time", 1).front();
        earlier.dt = read_earlier_dt(file.id());
        if (!earlier.dt.empty()) written_steps = read_text(file.id(), "earlier_checksum");
    });
    earlier.dt.resize(std::min(earlier.dt.size(), earlier.fields.size()));
    const std::vector<FieldSet<Real>> sets = sets_of(fields, earlier, earlier.dt.size());
    DataReader data(path, file.id(), truncation, context, world);
    ModePlaces places(share.order);
    together(world, context, [&] { places = data.places(share.order); });
    CheckpointReader<Real> reader{context, share, access, world, file.id(), data, std::move(places)};
    FileSums sums(data.files());
    for (const StoredField<Real>& field : fields) reader.read(field, sums);
    data.require(sums);
    Checksums checksums(sets.size());
    for (std::size_t set = 1; set < sets.size(); ++set) {
        FileSums of_step(data.files());
        for (const StoredField<Real>& field : sets[set]) reader.read(field, of_step);
        checksums[set] = of_step.whole();
    }
    add_steps(checksums, earlier.dt);
    together(world, context, [&] {
        const std::string of_steps = text_of_steps(checksums);
        require_data(of_steps, written_steps.substr(0, of_steps.size()));
    });
}

using Communicator = exchange::Communicator;
#define WHORL_INSTANTIATE(Real)                                                                              \
    template std::unique_ptr<UnfinishedCheckpoint> begin_checkpoint(                                         \
        const std::string&, const CheckpointKind&, const Attributes&, const Box&, const Truncation&,         \
        const RowTable&, const FieldSet<Real>&, const EarlierSteps<Real>&, ModeAccess<Real>&,                \
        const Communicator&);                                                                                \
    template void read_checkpoint(const std::string&, const Box&, const Truncation&, const RowTable&,        \
                                  const FieldSet<Real>&, EarlierSteps<Real>&, ModeAccess<Real>&,             \
                                  const Communicator&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl::storage

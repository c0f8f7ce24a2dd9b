#include "storage/data_writer.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>

#include "storage/checkpoint_header.hpp"

namespace whorl::storage {

namespace fs = std::filesystem;

DataFolder::~DataFolder() {
    if (kept || path.empty()) return;
    std::error_code ignored;
    if (!file.empty()) fs::remove(path / file, ignored);
    fs::remove(path, ignored);
}

DataWriter::DataWriter(WholeFile& checkpoint, const std::string& path, const std::string& context,
                       const ModeOrder& order, const exchange::Communicator& world, const FileGroup* group,
                       bool held)
    : checkpoint_(checkpoint), context_(context), world_(world), group_(group),
      held_(held ? std::make_unique<HeldData>() : nullptr), places_(order), modes_(order.total()) {
    if (!group) return;
    make_folder(path);
    together(world, context, [&] {
        const std::string name = name_of_file(group->index);
        if (group->ranks.rank() == 0) folder_.file = name;
        own_ = std::make_unique<WholeFile>((folder_.path / name).string(), "its file " + name, group->ranks);
    });
    const std::vector<std::int64_t> modes = gathered({modes_of(order)}, group->ranks);
    std::int64_t begin = 0;
    modes_ = 0;
    for (std::size_t r = 0; r < modes.size(); ++r) {
        if (r < static_cast<std::size_t>(group->ranks.rank())) begin += modes[r];
        modes_ += modes[r];
    }
    places_ = ModePlaces(order, {0, begin});
    write_shares(order);
}

// A folder of its own: an earlier set of the same name stays whole until the new one is complete.
void DataWriter::make_folder(const std::string& path) {
    together(world_, context_, [&] {
        if (world_.rank() != 0) return;
        const fs::path stem = data_folder(path);
        fs::path folder = stem;
        for (int i = 1; !fs::create_directory(folder); ++i) folder = stem.string() + "-" + std::to_string(i);
        folder_.path = folder;
    });
    folder_.path = world_.broadcast(folder_.path.string(), 0);
}

void DataWriter::write_shares(const ModeOrder& order) {
    const std::vector<std::int64_t> list = gathered(numbers_of(order.columns()), group_->ranks);
    by_all([&] {
        own_->describe([&](hid_t id) {
            write_attribute(id, "format", std::string(of_data::format));
            write_attribute(id, "version", std::int64_t{1});
            write_attribute(id, "file", std::int64_t{group_->index});
            write_attribute(id, "modes", modes_);
            write_attribute(id, of_data::columns_checksum, hexadecimal(checksum_of_columns(list)));
            write_integer_values(id, of_data::columns, list);
        });
    });
}

template <class Stored>
std::vector<std::int64_t> DataWriter::create(const std::vector<std::string>& datasets) {
    std::vector<std::int64_t> offsets(datasets.size(), 0);
    by_all([&] {
        file().describe([&](hid_t id) {
            const Shape shape{static_cast<hsize_t>(modes_), 2};
            std::ranges::transform(datasets, offsets.begin(), [&](const std::string& name) {
                return offset_of(create_dataset(id, name, native_type<Stored>(), shape));
            });
        });
    });
    ranks().broadcast(offsets.data(), offsets.size() * sizeof(std::int64_t), 0);
    return offsets;
}

template <class Stored, class Real>
std::uint64_t DataWriter::write(const std::vector<std::int64_t>& offsets, const ModeOrder& order,
                                const StoredField<Real>& field, ModeAccess<Real>& access) {
    std::uint64_t own = 0;
    const WriteData write = [&](std::int64_t offset, const void* data, std::size_t bytes) {
        held_ ? held_->hold(offset, data, bytes) : file().write(offset, data, bytes);
    };
    together(world_, context_,
             [&] { own = write_modes<Stored>(write, offsets, order, places_, field, access); });
    std::uint64_t all = own, of_file = own;
    world_.sum({&all, 1});
    ranks().sum({&of_file, 1});
    if (in_state_) chain_ = joined(chain_, of_file);
    return all;
}

void DataWriter::settle() {
    if (held_)
        held_->start(file());
    else
        by_all([&] { file().settle(); });
}

template <class Stored, class Real>
void DataWriter::check(const std::vector<std::int64_t>& offsets, const ModeOrder& order,
                       const StoredField<Real>& field, std::uint64_t written, ModeAccess<Real>& access) {
    if (held_) return;
    std::uint64_t found = 0;
    together(world_, context_,
             [&] { found = read_back<Stored>(file(), offsets, order, places_, field, access); });
    world_.sum({&found, 1});
    together(world_, context_, [&] { WHORL_REQUIRE(found == written, other_data); });
}

void DataWriter::finish() {
    if (held_) together(world_, context_, [&] { held_->wait(); });
    if (own_) list_files();
}

void DataWriter::list_files() {
    std::vector<std::int64_t> identity(static_cast<std::size_t>(group_->count), 0);
    by_all([&] {
        own_->describe([&](hid_t id) {
            write_attribute(id, "checksum", hexadecimal(chain_));
            write_attribute(id, attribute_checksum, checksum_of_attributes(id));
            write_attribute(id, completeness, std::int64_t{1});
            identity[static_cast<std::size_t>(group_->index)] =
                std::bit_cast<std::int64_t>(hash_attributes(id, {attribute_checksum, completeness}));
        });
        own_->finish();
    });
    std::vector<std::uint64_t> words(identity.size());
    std::ranges::transform(identity, words.begin(),
                           [](std::int64_t one) { return std::bit_cast<std::uint64_t>(one); });
    world_.sum(words);
    std::ranges::transform(words, identity.begin(),
                           [](std::uint64_t one) { return std::bit_cast<std::int64_t>(one); });
    checkpoint_.describe([&](hid_t id) {
        write_attribute(id, of_data::folder, folder());
        write_attribute(id, of_data::files, std::int64_t{group_->count});
        write_integer_values(id, of_data::identities, identity);
    });
}

template std::vector<std::int64_t> DataWriter::create<float>(const std::vector<std::string>&);
template std::vector<std::int64_t> DataWriter::create<double>(const std::vector<std::string>&);
using Offsets = std::vector<std::int64_t>;
#define WHORL_INSTANTIATE(Stored, Real)                                                                      \
    template std::uint64_t DataWriter::write<Stored>(const Offsets&, const ModeOrder&,                       \
                                                     const StoredField<Real>&, ModeAccess<Real>&);           \
    template void DataWriter::check<Stored>(const Offsets&, const ModeOrder&, const StoredField<Real>&,      \
                                            std::uint64_t, ModeAccess<Real>&);
WHORL_INSTANTIATE(float, float)
WHORL_INSTANTIATE(double, float)
WHORL_INSTANTIATE(float, double)
WHORL_INSTANTIATE(double, double)

} // namespace whorl::storage

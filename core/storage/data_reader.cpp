#include "storage/data_reader.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>

#include "storage/checkpoint_header.hpp"

namespace whorl::storage {

namespace fs = std::filesystem;

void FileSums::add(SumsOfFiles of_rank, const exchange::Communicator& world) {
    world.sum(of_rank);
    std::uint64_t all = 0;
    for (std::size_t f = 0; f < of_rank.size(); ++f) {
        chains_[f] = joined(chains_[f], of_rank[f]);
        all += of_rank[f];
    }
    whole_ = joined(whole_, all);
}

DataReader::DataReader(const std::string& path, hid_t checkpoint, const Truncation& truncation,
                       const std::string& context, const exchange::Communicator& world)
    : checkpoint_(checkpoint), truncation_(truncation), context_(context), world_(world) {
    together(world, context, [&] {
        if (!has_attribute(checkpoint, of_data::files)) {
            names_ = {""};
            return;
        }
        const fs::path folder = fs::path(path).parent_path() / read_text(checkpoint, of_data::folder);
        const std::int64_t count = read_integers(checkpoint, of_data::files, 1).front();
        for (int f = 0; f < count; ++f) names_.push_back((folder / name_of_file(f)).string());
    });
    open_.resize(names_.size());
    if (names_.front().empty()) return;
    together(world, context, [&] {
        if (world.rank() == 0) read_list(path);
    });
    tell_shares();
}

// Reads the identity of each file, and its list of columns, on one rank.
void DataReader::read_list(const std::string& path) {
    const std::vector<std::int64_t> identity = read_integer_values(checkpoint_, of_data::identities);
    WHORL_REQUIRE(identity.size() == names_.size(), "its list of files is damaged.");
    for (std::size_t f = 0; f < names_.size(); ++f) {
        const std::string& name = names_[f];
        WHORL_REQUIRE(fs::is_regular_file(name), "its file " + name +
                                                     " is missing: put back the folder that " +
                                                     "was written with " + path + ".");
        WHORL_REQUIRE(is_hdf5(name),
                      "its file " + name + " is not an HDF5 file, or its beginning is damaged.");
        const File one = open_file(name);
        const hid_t id = one.id();
        WHORL_REQUIRE(has_attribute(id, completeness) && has_attribute(id, "format") &&
                          read_text(id, "format") == of_data::format,
                      "its file " + name + " holds no complete data of a checkpoint.");
        WHORL_REQUIRE(hash_attributes(id, {attribute_checksum, completeness}) ==
                          std::bit_cast<std::uint64_t>(identity[f]),
                      "its file " + name + " is damaged, or of another checkpoint.");
        modes_.push_back(read_integers(id, "modes", 1).front());
        written_.push_back(std::bit_cast<std::int64_t>(std::stoull(read_text(id, "checksum"), nullptr, 16)));
        const std::vector<std::int64_t> lists = read_integer_values(id, of_data::columns);
        WHORL_REQUIRE(hexadecimal(checksum_of_columns(lists)) == read_text(id, of_data::columns_checksum),
                      "the list of columns in its file " + name + " is damaged.");
        std::ranges::move(shares_in(lists, static_cast<int>(f), truncation_), std::back_inserter(shares_));
    }
}

// Broadcasts the lists of rank 0.
void DataReader::tell_shares() {
    std::vector<std::int64_t> list;
    for (const Share& share : shares_) {
        list.insert(list.end(), {share.begin.file, share.begin.begin});
        const std::vector<std::int64_t> numbers = numbers_of(share.columns);
        list.insert(list.end(), numbers.begin(), numbers.end());
    }
    list = gathered(list, world_);
    modes_ = gathered(modes_, world_);
    written_ = gathered(written_, world_);
    shares_.clear();
    for (auto at = list.begin(); at != list.end();) {
        const Place begin{static_cast<int>(at[0]), at[1]};
        const std::int64_t kx = at[2], ky = at[3];
        at += 4;
        shares_.push_back({{{at, at + kx}, {at + kx, at + kx + ky}}, begin});
        at += kx + ky;
    }
}

hid_t DataReader::file(int which) {
    const auto f = static_cast<std::size_t>(which);
    if (names_[f].empty()) return checkpoint_;
    if (open_[f].id() < 0) open_[f] = open_file(names_[f]);
    return open_[f].id();
}

ModePlaces DataReader::places(const ModeOrder& order) const {
    if (shares_.empty()) return ModePlaces(order);
    ModePlaces places(order, {});
    const Columns& own = order.columns();
    const int extent = truncation_.extent(1);
    std::vector<int> own_ky(2 * static_cast<std::size_t>(extent) + 1, -1); // its place among own ky
    for (int j = 0; j < order.height(); ++j) {
        const int n_y = own.ky[static_cast<std::size_t>(j)];
        if (std::abs(n_y) <= extent) own_ky[static_cast<std::size_t>(n_y + extent)] = j;
    }
    std::int64_t missing = modes_of(order);
    for (const Share& share : shares_) {
        const ModeOrder there(truncation_, share.columns);
        const ModePlaces places_there(there, share.begin);
        for (int i = 0; i < there.width(); ++i) {
            const auto at = std::ranges::lower_bound(own.kx, share.columns.kx[static_cast<std::size_t>(i)]);
            if (at == own.kx.end() || *at != share.columns.kx[static_cast<std::size_t>(i)]) continue;
            for (int j = 0; j < there.height(); ++j) {
                const int n_y = share.columns.ky[static_cast<std::size_t>(j)];
                const int own_j = own_ky[static_cast<std::size_t>(n_y + extent)];
                if (own_j < 0) continue;
                const int own_i = static_cast<int>(at - own.kx.begin());
                places.at(own_i, own_j) = places_there.at(i, j);
                missing -= order.column(own_i, own_j);
            }
        }
    }
    WHORL_REQUIRE(missing == 0, "its files do not have all modes of its grid.");
    return places;
}

FieldData DataReader::open(const std::vector<std::string>& datasets, const ModeOrder& order,
                           const ModePlaces& places) {
    FieldData data{std::vector<std::vector<Dataset>>(names_.size()), false};
    const Dataset* first = nullptr;
    for (int i = 0; i < order.width(); ++i)
        for (int j = 0; j < order.height(); ++j) {
            if (order.column(i, j) == 0) continue;
            const int which = places.at(i, j).file;
            std::vector<Dataset>& one = data.of[static_cast<std::size_t>(which)];
            if (!one.empty()) continue;
            const std::int64_t modes =
                modes_.empty() ? order.total() : modes_[static_cast<std::size_t>(which)];
            one = open_datasets(file(which), datasets, modes);
            if (first == nullptr) first = &one.front();
            WHORL_REQUIRE(real_bytes(one.front()) == real_bytes(*first), "its files differ in precision.");
        }
    data.single = first != nullptr && real_bytes(*first) == sizeof(float);
    return data;
}

// Shares of all columns, which the ranks have in turn: those in files, or some kx of one file.
std::vector<Share> DataReader::own_shares() const {
    std::vector<Share> own;
    const auto rank = static_cast<std::size_t>(world_.rank()),
               ranks = static_cast<std::size_t>(world_.size());
    for (std::size_t s = rank; s < shares_.size(); s += ranks) own.push_back(shares_[s]);
    if (!shares_.empty()) return own;
    Share part;
    for (int n_x = world_.rank(); n_x <= truncation_.extent(0); n_x += world_.size())
        part.columns.kx.push_back(n_x);
    for (int index = 0; index < truncation_.count(1); ++index)
        part.columns.ky.push_back(signed_index(index, truncation_.extent(1)));
    return {part};
}

template <class Real>
void DataReader::add_whole(FileSums& sums, const StoredField<Real>& field, ModeAccess<Real>& access) {
    SumsOfFiles found(names_.size(), 0);
    together(world_, context_, [&] {
        for (const Share& share : own_shares()) {
            const ModeOrder order(truncation_, share.columns);
            const ModePlaces places = shares_.empty() ? ModePlaces(order) : ModePlaces(order, share.begin);
            const FieldData data = open(field.datasets(), order, places);
            const SumsOfFiles some = hash_modes(data, order, places, field, access);
            std::ranges::transform(found, some, found.begin(), std::plus<>());
        }
    });
    sums.add(found, world_);
}

void DataReader::require(const FileSums& sums) const {
    together(world_, context_, [&] {
        for (std::size_t f = 0; f < written_.size(); ++f)
            WHORL_REQUIRE(std::bit_cast<std::int64_t>(sums.chains()[f]) == written_[f],
                          "the data in its file " + names_[f] + " are damaged.");
        require_data(hexadecimal(sums.whole()), read_text(checkpoint_, "checksum"));
    });
}

template void DataReader::add_whole(FileSums&, const StoredField<float>&, ModeAccess<float>&);
template void DataReader::add_whole(FileSums&, const StoredField<double>&, ModeAccess<double>&);

} // namespace whorl::storage

#include "storage/data_list.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "storage/checksum.hpp"

namespace whorl::storage {

namespace fs = std::filesystem;

std::string name_of_file(int number) {
    const std::string digits = std::to_string(number);
    return std::string(5 - std::min<std::size_t>(5, digits.size()), '0') + digits + ".h5";
}

fs::path data_folder(const fs::path& checkpoint) {
    return checkpoint.parent_path() / (checkpoint.stem().string() + ".data");
}

void remove_data(const std::string& path, const std::string& kept) {
    const fs::path stem = data_folder(path);
    const fs::path parent = stem.has_parent_path() ? stem.parent_path() : ".";
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
        const std::string name = entry.path().filename().string(), own = stem.filename().string();
        const bool numbered = name.starts_with(own + "-") &&
                              name.find_first_not_of("0123456789", own.size() + 1) == std::string::npos;
        if ((name == own || numbered) && name != kept) fs::remove_all(entry.path(), ignored);
    }
}

std::vector<std::int64_t> numbers_of(const Columns& columns) {
    std::vector<std::int64_t> list{static_cast<std::int64_t>(columns.kx.size()),
                                   static_cast<std::int64_t>(columns.ky.size())};
    list.insert(list.end(), columns.kx.begin(), columns.kx.end());
    list.insert(list.end(), columns.ky.begin(), columns.ky.end());
    return list;
}

std::vector<Share> shares_in(const std::vector<std::int64_t>& lists, int file, const Truncation& truncation) {
    std::vector<Share> found;
    Place begin{file, 0};
    for (auto at = lists.begin(); at != lists.end();) {
        const auto take = [&](std::int64_t count) {
            WHORL_REQUIRE(count >= 0 && count <= lists.end() - at, "its list of columns is cut.");
            const auto first = at;
            at += count;
            return std::vector<int>(first, at);
        };
        const std::vector<int> sizes = take(2);
        Columns columns{take(sizes[0]), {}};
        columns.ky = take(sizes[1]);
        WHORL_REQUIRE(std::ranges::is_sorted(columns.kx), "its list of columns is damaged.");
        found.push_back({columns, begin});
        begin.begin += modes_of(ModeOrder(truncation, columns));
    }
    return found;
}

std::uint64_t checksum_of_columns(const std::vector<std::int64_t>& lists) {
    std::uint64_t hash = 0;
    for (const std::int64_t number : lists) hash = absorb(hash, static_cast<std::uint64_t>(number));
    return hash;
}

std::int64_t modes_of(const ModeOrder& order) {
    std::int64_t modes = 0;
    for (int i = 0; i < order.width(); ++i) modes += order.modes(i);
    return modes;
}

std::vector<std::int64_t> gathered(const std::vector<std::int64_t>& own,
                                   const exchange::Communicator& ranks) {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    std::vector<std::uint64_t> sizes(static_cast<std::size_t>(ranks.size()), 0);
    sizes[rank] = own.size();
    ranks.sum(sizes);
    std::uint64_t before = 0, all = 0;
    for (std::size_t r = 0; r < sizes.size(); ++r) {
        if (r < rank) before += sizes[r];
        all += sizes[r];
    }
    std::vector<std::uint64_t> words(all, 0);
    std::ranges::transform(own, words.begin() + static_cast<std::ptrdiff_t>(before),
                           [](std::int64_t value) { return static_cast<std::uint64_t>(value); });
    ranks.sum(words);
    std::vector<std::int64_t> values(words.size());
    std::ranges::transform(words, values.begin(),
                           [](std::uint64_t word) { return static_cast<std::int64_t>(word); });
    return values;
}

} // namespace whorl::storage

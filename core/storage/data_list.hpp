// Names and lists that the writer and the reader of the data of a checkpoint share. The data are datasets in
// the checkpoint itself, or a set of files in a folder next to it, one for each group of ranks
// (docs/checkpoints.md). A file lists the columns that each rank of its group has written, one column after
// another.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "exchange/communicator.hpp"
#include "storage/mode_order.hpp"

namespace whorl::storage {

namespace of_data {
constexpr const char* format = "whorl checkpoint data";
// The checkpoint has the folder, the number of files, and the identity of each in a dataset.
constexpr const char *folder = "data_folder", *files = "data_files", *identities = "data_identities";
// A file has the dataset of its columns, and its checksum.
constexpr const char *columns = "columns", *columns_checksum = "columns_checksum";
} // namespace of_data

// The name of a file in its folder.
std::string name_of_file(int number);
// The path of the folder; more numbers follow where one of this name exists.
std::filesystem::path data_folder(const std::filesystem::path& checkpoint);
// Removes the folders of data that belong to the checkpoint `path`, but not `kept`, a name. By one rank.
void remove_data(const std::string& path, const std::string& kept);

// Columns that lie one after another in a file.
struct Share {
    Columns columns;
    Place begin;
};

// A list of columns: how many kx and ky, the kx, the ky.
std::vector<std::int64_t> numbers_of(const Columns& columns);
// The shares of a file by its lists.
std::vector<Share> shares_in(const std::vector<std::int64_t>& lists, int file, const Truncation& truncation);
std::uint64_t checksum_of_columns(const std::vector<std::int64_t>& lists);

std::int64_t modes_of(const ModeOrder& order);

// The values of all ranks, one rank after another. Collective.
std::vector<std::int64_t> gathered(const std::vector<std::int64_t>& own, const exchange::Communicator& ranks);

} // namespace whorl::storage

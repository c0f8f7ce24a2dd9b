// Finds and opens the data of a checkpoint for a rank, wherever they are (storage/data_list.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/data_list.hpp"
#include "storage/mode_data.hpp"

namespace whorl::storage {

// The checksums of fields, of the whole and by file.
class FileSums {
  public:
    explicit FileSums(int files) : chains_(static_cast<std::size_t>(files), 0) {}
    // Adds a field, by the sums of this rank. Collective.
    void add(SumsOfFiles of_rank, const exchange::Communicator& world);
    std::uint64_t whole() const { return whole_; }
    const std::vector<std::uint64_t>& chains() const { return chains_; }

  private:
    std::vector<std::uint64_t> chains_;
    std::uint64_t whole_ = 0;
};

// Called by all ranks, as its methods are unless they say more.
// Finds and opens the data of a checkpoint for one rank.
class DataReader {
  public:
    // Called by all ranks. Throws the same Error on all if a file of a set is missing, incomplete, damaged in
    // its attributes, or of another set.
    DataReader(const std::string& path, hid_t checkpoint, const Truncation& truncation,
               const std::string& context, const exchange::Communicator& world);

    int files() const { return static_cast<int>(names_.size()); }
    // Throws Error if the files lack a column.
    ModePlaces places(const ModeOrder& order) const;
    // Opens those files that have the places. Throws Error unless datasets have the modes of their file.
    FieldData open(const std::vector<std::string>& datasets, const ModeOrder& order,
                   const ModePlaces& places);
    // Adds the checksums of a whole field; each rank reads a part. Collective.
    template <class Real>
    void add_whole(FileSums& sums, const StoredField<Real>& field, ModeAccess<Real>& access);
    // Throws Error, which names the files, unless the data are those that were written. Collective.
    void require(const FileSums& sums) const;

  private:
    void read_list(const std::string& path);
    void tell_shares();
    hid_t file(int number);
    std::vector<Share> own_shares() const;

    hid_t checkpoint_;
    const Truncation& truncation_;
    const std::string& context_;
    const exchange::Communicator& world_;
    std::vector<std::string> names_; // an empty text for the checkpoint itself
    std::vector<File> open_;
    std::vector<Share> shares_;                 // of a set
    std::vector<std::int64_t> modes_, written_; // by file: their number, the checksum
};

} // namespace whorl::storage

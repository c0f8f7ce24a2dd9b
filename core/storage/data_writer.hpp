// Writes the data of a checkpoint, into it or into the files of a set (storage/data_list.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "storage/data_list.hpp"
#include "storage/file_group.hpp"
#include "storage/mode_data.hpp"
#include "storage/whole_file.hpp"

namespace whorl::storage {

// The folder of a set that is being written, and the file in it that this rank removes unless the set is
// kept. The last rank to remove its file removes the folder, so that no rank waits for another in a
// destructor.
struct DataFolder {
    std::filesystem::path path;
    std::string file;
    bool kept = false;

    DataFolder() = default;
    DataFolder(const DataFolder&) = delete;
    DataFolder& operator=(const DataFolder&) = delete;
    ~DataFolder();
    std::string name() const { return path.filename().string(); }
};

// Writes fields. All calls are made by all ranks; if one fails, all throw the same Error. The files of a set
// are removed unless keep() is called.
class DataWriter {
  public:
    // Without a group all fields are in the checkpoint.
    DataWriter(WholeFile& checkpoint, const std::string& path, const std::string& context,
               const ModeShare& share, const exchange::Communicator& world, const FileGroup* group);

    // Reserves the space of datasets of `Stored` numbers, and returns their offsets in the file.
    template <class Stored> std::vector<std::int64_t> create(const std::vector<std::string>& datasets);
    // Returns the checksum of the field, and adds it to that of the file until end_state() is called.
    template <class Stored, class Real>
    std::uint64_t write(const std::vector<std::int64_t>& offsets, const StoredField<Real>& field,
                        ModeAccess<Real>& access);
    void end_state() { in_state_ = false; }
    // Completes the values on disk, for check().
    void settle();
    // Throws Error unless the field on disk has the checksum that write() returned.
    template <class Stored, class Real>
    void check(const std::vector<std::int64_t>& offsets, const StoredField<Real>& field,
               std::uint64_t written, ModeAccess<Real>& access);
    // Completes the files of a set and writes their list into the checkpoint.
    void finish();
    // The name of the folder of a set; empty without one.
    std::string folder() const { return folder_.name(); }
    void keep() { folder_.kept = true; }

  private:
    // Makes calls to the group's file, whose failure is that of all groups.
    template <class Action> void by_all(const Action& action) {
        if (own_)
            together(world_, context_, action);
        else
            action();
    }
    void make_folder(const std::string& path);
    void write_shares();
    WholeFile& file() { return own_ ? *own_ : checkpoint_; }
    const exchange::Communicator& ranks() const { return group_ ? group_->ranks : world_; }

    WholeFile& checkpoint_;
    const std::string& context_;
    const ModeShare& share_;
    const exchange::Communicator& world_;
    const FileGroup* group_;
    DataFolder folder_;
    std::unique_ptr<WholeFile> own_;
    ModePlaces places_;
    std::int64_t modes_; // in the file
    std::uint64_t chain_ = 0;
    bool in_state_ = true;
};

} // namespace whorl::storage

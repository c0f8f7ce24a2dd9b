// Writes the data of a checkpoint, into it or into the files of a set (storage/data_list.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "storage/checkpoint_kind.hpp"
#include "storage/data_list.hpp"
#include "storage/held_data.hpp"
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
    // Without a group all fields are in the checkpoint. With `held` a thread writes them.
    DataWriter(WholeFile& checkpoint, const std::string& path, const std::string& context,
               const ModeOrder& order, const exchange::Communicator& world, const FileGroup* group,
               bool held);

    // Reserves the space of datasets of `Stored` numbers, and returns their offsets in the file.
    template <class Stored> std::vector<std::int64_t> create(const std::vector<std::string>& datasets);
    // Returns the checksum of the field, and adds it to that of the file until end_state() is called.
    template <class Stored, class Real>
    std::uint64_t write(const std::vector<std::int64_t>& offsets, const ModeOrder& order,
                        const StoredField<Real>& field, ModeAccess<Real>& access);
    void end_state() { in_state_ = false; }
    // After all fields: completes them on disk, for check(), or starts the thread, which checks.
    void settle();
    // Throws Error unless the field on disk has the checksum that write() returned.
    template <class Stored, class Real>
    void check(const std::vector<std::int64_t>& offsets, const ModeOrder& order,
               const StoredField<Real>& field, std::uint64_t written, ModeAccess<Real>& access);
    // Whether finish() does not wait for a thread of this rank.
    bool ready() const { return !held_ || held_->ended(); }
    // Completes the data, and writes the list of the files of a set into the checkpoint.
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
    void write_shares(const ModeOrder& order);
    void list_files();
    WholeFile& file() { return own_ ? *own_ : checkpoint_; }
    const exchange::Communicator& ranks() const { return group_ ? group_->ranks : world_; }

    WholeFile& checkpoint_;
    const std::string& context_;
    const exchange::Communicator& world_;
    const FileGroup* group_;
    DataFolder folder_;
    std::unique_ptr<WholeFile> own_;
    std::unique_ptr<HeldData> held_; // destroyed before the file that its thread writes
    ModePlaces places_;
    std::int64_t modes_; // in the file
    std::uint64_t chain_ = 0;
    bool in_state_ = true;
};

} // namespace whorl::storage

// Files that are either whole or not there: written beside their place, renamed when they are safe on disk.
//
// One rank lays the file out with HDF5, all ranks write their values straight to where HDF5 reserved room for
// them. HDF5's own parallel writing is not used: when one rank meets a full disk, the others wait for it for
// ever; and Open MPI's collective and sieved accesses have lost data of interleaved runs (open-mpi/ompi
// issues 10546 and 12718).
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "exchange/communicator.hpp"
#include "storage/hdf5.hpp"

namespace whorl::storage {

// Throws the same Error, "context: failure", on all ranks when `failure` is not empty on one of them.
void agree(const exchange::Communicator& world, const std::string& context, const std::string& failure);

// Runs action() on every rank; when it throws on one, all ranks throw what that one said.
template <class Action>
void together(const exchange::Communicator& world, const std::string& context, const Action& action) {
    std::string failure;
    try {
        action();
    } catch (const std::exception& error) {
        failure = error.what();
    }
    agree(world, context, failure);
}

// A file as the system sees it. Calls throw Error with its words.
class Descriptor {
  public:
    Descriptor() = default;
    Descriptor(const std::string& path, int flags);
    ~Descriptor();
    Descriptor(Descriptor&& other) noexcept
        : path_(std::move(other.path_)), id_(std::exchange(other.id_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(path_, other.path_);
        std::swap(id_, other.id_);
        return *this;
    }

    void write(std::int64_t offset, const void* data, std::size_t bytes) const;
    // To disk.
    void synchronise() const;

  private:
    std::string path_;
    int id_ = -1;
};

// An HDF5 file called `path`.part until finish(), and removed without it. All but write() is for all ranks.
class WholeFile {
  public:
    WholeFile(const std::string& path, const std::string& context, const exchange::Communicator& world);
    ~WholeFile();
    WholeFile(const WholeFile&) = delete;
    WholeFile& operator=(const WholeFile&) = delete;

    // action(file) on the rank that has the file open in HDF5; it leaves no object open.
    template <class Action> void describe(const Action& action) {
        together(world_, context_, [&] {
            if (world_.rank() == 0) action(file_.id());
        });
    }
    // To where HDF5 has reserved room, by this rank alone. Throws Error.
    void write(std::int64_t offset, const void* data, std::size_t bytes) const {
        data_.write(offset, data, bytes);
    }
    void finish();

  private:
    void create();
    void discard() noexcept;

    std::string path_, part_, context_;
    const exchange::Communicator& world_;
    File file_;       // on rank 0
    Descriptor data_; // on every rank
    bool finished_ = false;
};

} // namespace whorl::storage

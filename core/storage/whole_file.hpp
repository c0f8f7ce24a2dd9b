// Files that are either complete or absent: they are written under a temporary name and renamed when they are
// safe on disk.
//
// One rank creates the layout with HDF5, and all ranks write their values directly to the space that HDF5 has
// reserved. HDF5's parallel writing is not used: if one rank meets a full disk, the others wait for it
// forever; and Open MPI's collective and sieved accesses have lost data of interleaved runs (open-mpi/ompi
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

// Throws the same Error, "context: failure", on all ranks if `failure` is not empty on one of them.
void agree(const exchange::Communicator& world, const std::string& context, const std::string& failure);

// Runs action() on every rank; if it throws on one, all ranks throw an Error with the same message.
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

constexpr const char* other_data =
    "the disk returns other data than were written; look for its errors in the system's log.";

// A file descriptor of the system. Calls throw Error with the system's message.
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
    void read(std::int64_t offset, void* data, std::size_t bytes) const;
    // Flushes the file to disk.
    void synchronise() const;
    // Asks the system to drop its copy in memory, so that reads come from the disk.
    void forget() const;

  private:
    std::string path_;
    int id_ = -1;
};

// An HDF5 file named `path`.part until finish(), and removed without it. All calls except write() are made by
// all ranks.
class WholeFile {
  public:
    WholeFile(const std::string& path, const std::string& context, const exchange::Communicator& world);
    ~WholeFile();
    WholeFile(const WholeFile&) = delete;
    WholeFile& operator=(const WholeFile&) = delete;

    // Calls action(file) on the rank that has the file open in HDF5; action must leave no object open.
    template <class Action> void describe(const Action& action) {
        together(world_, context_, [&] {
            if (rank_ == 0) action(file_.id());
        });
    }
    // Writes to space that HDF5 has reserved, on this rank alone. Throws Error.
    void write(std::int64_t offset, const void* data, std::size_t bytes) const {
        data_.write(offset, data, bytes);
    }
    // Flushes the values of this rank to disk, for read() after it.
    void settle_own() const {
        data_.synchronise();
        data_.forget();
    }
    // Flushes those of all ranks.
    void settle() {
        together(world_, context_, [&] { settle_own(); });
    }
    void read(std::int64_t offset, void* data, std::size_t bytes) const { data_.read(offset, data, bytes); }
    void finish();

  private:
    void create();
    void discard() noexcept;

    std::string path_, part_, context_;
    const exchange::Communicator& world_;
    const int rank_;  // a file may be given up when the communicator is gone
    File file_;       // on rank 0
    Descriptor data_; // on every rank
    bool finished_ = false;
};

} // namespace whorl::storage

// Files that are either whole or not there: written beside their place and renamed when they are safe on
// disk.
#pragma once

#include <exception>
#include <string>

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

// An HDF5 file that all ranks write as `path`.part; without finish() it is removed.
// Objects within it must be closed before it is finished or destroyed.
class WholeFile {
  public:
    WholeFile(const std::string& path, const std::string& context, const exchange::Communicator& world);
    ~WholeFile();
    WholeFile(const WholeFile&) = delete;
    WholeFile& operator=(const WholeFile&) = delete;

    hid_t id() const { return file_.id(); }
    void finish();

  private:
    std::string path_, part_, context_;
    const exchange::Communicator& world_;
    File file_;
    bool finished_ = false;
};

} // namespace whorl::storage

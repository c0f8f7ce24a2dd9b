#include "storage/whole_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace whorl::storage {

void agree(const exchange::Communicator& world, const std::string& context, const std::string& failure) {
    // The lowest rank that failed speaks for all.
    double precedence = failure.empty() ? 0.0 : static_cast<double>(world.size() - world.rank());
    world.maximum({&precedence, 1});
    if (precedence == 0.0) return;
    throw Error(context + ": " + world.broadcast(failure, world.size() - static_cast<int>(precedence)));
}

namespace {

void require_system(bool success, const std::string& call) {
    WHORL_REQUIRE(success, call + " failed: " + std::strerror(errno) + ".");
}

// To disk: what was written to a file, or the names in a directory.
void synchronise(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    require_system(descriptor >= 0, "open(" + path + ")");
    const bool success = ::fsync(descriptor) == 0;
    const int error = errno;
    ::close(descriptor);
    errno = error;
    require_system(success, "fsync(" + path + ")");
}

std::string directory_of(const std::string& path) {
    const std::string parent = std::filesystem::path(path).parent_path().string();
    return parent.empty() ? "." : parent;
}

} // namespace

WholeFile::WholeFile(const std::string& path, const std::string& context, const exchange::Communicator& world)
    : path_(path), part_(path + ".part"), context_(context), world_(world) {
    together(world_, context_, [&] { file_ = create_file(part_, world_.handle()); });
}

WholeFile::~WholeFile() {
    if (finished_) return;
    // HDF5 that cannot write the last metadata of a file never closes it in order: it hangs, or crashes when
    // the program ends. On a full disk there is room for them again once the data are gone.
    std::error_code ignored;
    if (world_.rank() == 0) std::filesystem::resize_file(part_, 0, ignored);
    world_.barrier();
    file_.close();
    if (world_.rank() == 0) std::remove(part_.c_str());
}

void WholeFile::finish() {
    together(world_, context_, [&] { WHORL_HDF5(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL)); });
    together(world_, context_, [&] { check_hdf5(file_.close(), "H5Fclose"); });
    together(world_, context_, [&] {
        if (world_.rank() != 0) return;
        synchronise(part_);
        require_system(std::rename(part_.c_str(), path_.c_str()) == 0, "rename(" + part_ + ")");
        finished_ = true;
        synchronise(directory_of(path_));
    });
    finished_ = true;
}

} // namespace whorl::storage

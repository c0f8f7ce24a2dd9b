#include "storage/whole_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace whorl::storage {

void agree(const exchange::Communicator& world, const std::string& context, const std::string& failure) {
    // The message is that of the lowest rank that failed.
    double precedence = failure.empty() ? 0.0 : static_cast<double>(world.size() - world.rank());
    world.maximum({&precedence, 1});
    if (precedence == 0.0) return;
    throw Error(context + ": " + world.broadcast(failure, world.size() - static_cast<int>(precedence)));
}

namespace {

void require_system(bool success, const std::string& call) {
    WHORL_REQUIRE(success, call + " failed: " + std::strerror(errno) + ".");
}

std::string directory_of(const std::string& path) {
    const std::string parent = std::filesystem::path(path).parent_path().string();
    return parent.empty() ? "." : parent;
}

// HDF5 1.10 crashes at exit if it could not close a file, so a full disk must be detected first.
void try_room(const std::string& path) {
    const std::vector<char> zeros(1 << 16);
    const Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC);
    file.write(0, zeros.data(), zeros.size());
    file.synchronise();
}

} // namespace

Descriptor::Descriptor(const std::string& path, int flags)
    : path_(path), id_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    require_system(id_ >= 0, "open(" + path_ + ")");
}

Descriptor::~Descriptor() {
    if (id_ >= 0) ::close(id_);
}

void Descriptor::write(std::int64_t offset, const void* data, std::size_t bytes) const {
    const char* from = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t written = ::pwrite(id_, from, bytes, offset);
        if (written < 0 && errno == EINTR) continue;
        require_system(written > 0, "pwrite(" + path_ + ")");
        from += written;
        offset += written;
        bytes -= static_cast<std::size_t>(written);
    }
}

void Descriptor::read(std::int64_t offset, void* data, std::size_t bytes) const {
    char* to = static_cast<char*>(data);
    while (bytes > 0) {
        const ssize_t count = ::pread(id_, to, bytes, offset);
        if (count < 0 && errno == EINTR) continue;
        require_system(count >= 0, "pread(" + path_ + ")");
        WHORL_REQUIRE(count > 0, path_ + " ends before its data.");
        to += count;
        offset += count;
        bytes -= static_cast<std::size_t>(count);
    }
}

void Descriptor::forget() const { ::posix_fadvise(id_, 0, 0, POSIX_FADV_DONTNEED); }

void Descriptor::synchronise() const { require_system(::fsync(id_) == 0, "fsync(" + path_ + ")"); }

WholeFile::WholeFile(const std::string& path, const std::string& context, const exchange::Communicator& world)
    : path_(path), part_(path + ".part"), context_(context), world_(world), rank_(world.rank()) {
    try {
        create();
    } catch (...) {
        discard();
        throw;
    }
}

WholeFile::~WholeFile() {
    if (!finished_) discard();
}

void WholeFile::create() {
    together(world_, context_, [&] {
        if (rank_ != 0) return;
        try_room(part_);
        file_ = create_file(part_);
    });
    together(world_, context_, [&] { data_ = Descriptor(part_, O_RDWR); });
}

void WholeFile::discard() noexcept {
    if (rank_ != 0) return;
    // Truncating the file frees space on a full disk for the data that HDF5 must write before it can close.
    std::error_code ignored;
    std::filesystem::resize_file(part_, 0, ignored);
    file_.close();
    ::unlink(part_.c_str());
}

void WholeFile::finish() {
    together(world_, context_, [&] { data_.synchronise(); });
    describe([&](hid_t file) {
        WHORL_HDF5(H5Fflush(file, H5F_SCOPE_GLOBAL));
        check_hdf5(file_.close(), "H5Fclose");
        Descriptor(part_, O_RDONLY).synchronise();
        require_system(std::rename(part_.c_str(), path_.c_str()) == 0, "rename(" + part_ + ")");
        finished_ = true;
        Descriptor(directory_of(path_), O_RDONLY).synchronise();
    });
    finished_ = true;
}

} // namespace whorl::storage

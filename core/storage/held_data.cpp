#include "storage/held_data.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

namespace whorl::storage {

namespace {
constexpr std::size_t piece_bytes = std::size_t{16} << 20; // read back at a time
} // namespace

HeldData::~HeldData() {
    if (thread_.joinable()) thread_.join();
}

// Neighbouring data become one piece.
void HeldData::hold(std::int64_t offset, const void* data, std::size_t bytes) {
    const auto* const from = static_cast<const std::byte*>(data);
    const bool goes_on =
        !pieces_.empty() && pieces_.back().data.size() < piece_bytes &&
        pieces_.back().offset + static_cast<std::int64_t>(pieces_.back().data.size()) == offset;
    if (!goes_on) pieces_.push_back({offset, {}});
    std::vector<std::byte>& to = pieces_.back().data;
    to.insert(to.end(), from, from + bytes);
}

void HeldData::start(const WholeFile& file) {
    thread_ = std::thread([this, &file] {
        try {
            write(file);
        } catch (const std::exception& error) {
            failure_ = error.what();
        }
        ended_ = true;
    });
}

void HeldData::write(const WholeFile& file) const {
    for (const Piece& piece : pieces_) file.write(piece.offset, piece.data.data(), piece.data.size());
    file.settle_own();
    std::vector<std::byte> found;
    for (const Piece& piece : pieces_) {
        found.resize(std::max(found.size(), piece.data.size()));
        file.read(piece.offset, found.data(), piece.data.size());
        WHORL_REQUIRE(std::memcmp(found.data(), piece.data.data(), piece.data.size()) == 0, other_data);
    }
}

void HeldData::wait() {
    if (thread_.joinable()) thread_.join();
    pieces_.clear();
    if (!failure_.empty()) throw Error(failure_);
}

} // namespace whorl::storage

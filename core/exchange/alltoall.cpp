#include "exchange/alltoall.hpp"

#include <algorithm>
#include <limits>

namespace whorl::exchange {

namespace {

// Offsets are counted from the batch's first chunk: MPI's counts are 32-bit, buffers are not.
std::int64_t convert(const std::vector<Chunk>& chunks, std::vector<int>& counts, std::vector<int>& offsets) {
    std::int64_t base = chunks.empty() ? 0 : chunks.front().offset;
    for (const Chunk& chunk : chunks) base = std::min(base, chunk.offset);
    for (const Chunk& chunk : chunks) {
        WHORL_REQUIRE(std::max(chunk.count, chunk.offset - base) <= std::numeric_limits<int>::max(),
                      "a message of " + std::to_string(chunk.count) + " complex numbers at " +
                          std::to_string(chunk.offset - base) +
                          " is beyond MPI's 32-bit counts: use more batches.");
        counts.push_back(static_cast<int>(chunk.count));
        offsets.push_back(static_cast<int>(chunk.offset - base));
    }
    return base;
}

} // namespace

AllToAll::AllToAll(const Communicator& communicator, std::vector<Pattern> batches, int element)
    : handle_(communicator.handle()), type_(element == 16 ? MPI_C_DOUBLE_COMPLEX : MPI_C_FLOAT_COMPLEX),
      element_(element) {
    for (const Pattern& pattern : batches) {
        Counts& counts = batches_.emplace_back();
        counts.send_base = convert(pattern.send, counts.send, counts.send_at);
        counts.receive_base = convert(pattern.receive, counts.receive, counts.receive_at);
    }
}

void AllToAll::start(int batch, const void* send, void* receive) {
    const Counts& counts = batches_[static_cast<std::size_t>(batch)];
    const char* const from = static_cast<const char*>(send) + counts.send_base * element_;
    char* const to = static_cast<char*>(receive) + counts.receive_base * element_;
    WHORL_MPI(MPI_Alltoallv(from, counts.send.data(), counts.send_at.data(), type_, to, counts.receive.data(),
                            counts.receive_at.data(), type_, handle_));
}

} // namespace whorl::exchange

#include "exchange/messages.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"

namespace whorl::exchange {

namespace {

std::int64_t convert(const std::vector<Chunk>& chunks, std::vector<int>& counts, std::vector<int>& offsets) {
    std::int64_t base = chunks.empty() ? 0 : chunks.front().offset;
    for (const Chunk& chunk : chunks) base = std::min(base, chunk.offset);
    for (const Chunk& chunk : chunks) {
        WHORL_REQUIRE(chunk.packed(), "this transport needs packed chunks.");
        WHORL_REQUIRE(std::max(chunk.count(), chunk.offset - base) <= std::numeric_limits<int>::max(),
                      "a message of " + std::to_string(chunk.count()) + " complex numbers at offset " +
                          std::to_string(chunk.offset - base) +
                          " exceeds MPI's 32-bit counts: use more batches.");
        counts.push_back(static_cast<int>(chunk.count()));
        offsets.push_back(static_cast<int>(chunk.offset - base));
    }
    return base;
}

} // namespace

Counts::Counts(const Pattern& pattern) {
    send_base = convert(pattern.send, send, send_at);
    receive_base = convert(pattern.receive, receive, receive_at);
}

void check_counts(const Pattern& pattern) { [[maybe_unused]] const Counts counts(pattern); }

MPI_Datatype complex_type(int element) { return element == 16 ? MPI_C_DOUBLE_COMPLEX : MPI_C_FLOAT_COMPLEX; }

} // namespace whorl::exchange

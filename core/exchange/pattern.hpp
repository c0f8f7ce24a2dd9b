// What the ranks of a row or a column send each other: integers, free of MPI.
#pragma once

#include <cstdint>
#include <vector>

namespace whorl::exchange {

// A run of complex numbers in a buffer.
struct Chunk {
    std::int64_t offset = 0, count = 0;
};

// What one batch sends to and takes from each peer, in complex numbers.
struct Pattern {
    std::vector<Chunk> send, receive;
};

} // namespace whorl::exchange

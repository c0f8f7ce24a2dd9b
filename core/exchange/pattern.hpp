// The data that the ranks of a row or a column exchange, described by integers, without MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/declared.hpp"

namespace whorl::exchange {

// Properties of a transport that determine the layout and the run, without MPI; declared.toml describes them.
using Traits = declared::Transport;

// Complex numbers in a buffer: for each variable, `number` runs of length `run`, `stride` apart.
struct Chunk {
    std::int64_t offset = 0, run = 0, number = 1, stride = 0;
    std::int64_t variables = 1, variable_stride = 0;

    std::int64_t count() const { return run * number * variables; }
    bool packed() const {
        return (number == 1 || stride == run) && (variables == 1 || variable_stride == run * number);
    }
    // Offset and size in bytes of a packed chunk, with `element` bytes for each number.
    std::size_t begin(std::size_t element) const { return static_cast<std::size_t>(offset) * element; }
    std::size_t bytes(std::size_t element) const { return static_cast<std::size_t>(count()) * element; }
    // A chunk for only the variables first, ..., first + some - 1.
    Chunk part(std::int64_t first, std::int64_t some) const {
        return {offset + first * variable_stride, run, number, stride, some, variable_stride};
    }
};

// A contiguous chunk of `variables` variables with `of_variable` numbers each.
inline Chunk packed_chunk(std::int64_t offset, std::int64_t of_variable, int variables) {
    return {offset, of_variable, 1, of_variable, variables, of_variable};
}

// The chunks that one batch sends to and receives from each peer.
struct Pattern {
    std::vector<Chunk> send, receive;
};

} // namespace whorl::exchange

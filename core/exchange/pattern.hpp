// What the ranks of a row or a column send each other: integers, free of MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace whorl::exchange {

// Complex numbers in a buffer: of each variable `number` runs of `run`, `stride` from one to the next.
struct Chunk {
    std::int64_t offset = 0, run = 0, number = 1, stride = 0;
    std::int64_t variables = 1, variable_stride = 0;

    std::int64_t count() const { return run * number * variables; }
    bool packed() const {
        return (number == 1 || stride == run) && (variables == 1 || variable_stride == run * number);
    }
    // In bytes, where a number has `element`: for who sends no gaps.
    std::size_t begin(std::size_t element) const { return static_cast<std::size_t>(offset) * element; }
    std::size_t bytes(std::size_t element) const { return static_cast<std::size_t>(count()) * element; }
    // Variables first, ..., first + some - 1 of it.
    Chunk part(std::int64_t first, std::int64_t some) const {
        return {offset + first * variable_stride, run, number, stride, some, variable_stride};
    }
};

// `count` numbers without a gap, shared evenly by the variables.
inline Chunk packed_chunk(std::int64_t offset, std::int64_t of_variable, int variables) {
    return {offset, of_variable, 1, of_variable, variables, of_variable};
}

// What one batch sends to and takes from each peer.
struct Pattern {
    std::vector<Chunk> send, receive;
};

} // namespace whorl::exchange

// A pattern as MPI's vector collectives want it.
#pragma once

#include <vector>

#include <mpi.h>

#include "exchange/pattern.hpp"

namespace whorl::exchange {

// Counts and offsets in complex numbers. Offsets are counted from the batch's first chunk: MPI's are 32-bit,
// buffers are not. Throws Error where a message is too long for them.
struct Counts {
    std::int64_t send_base = 0, receive_base = 0;
    std::vector<int> send, send_at, receive, receive_at;

    explicit Counts(const Pattern& pattern);
};

// Throws the same Error.
void check_counts(const Pattern& pattern);

// Of an element of 8 or 16 bytes.
MPI_Datatype complex_type(int element);

} // namespace whorl::exchange

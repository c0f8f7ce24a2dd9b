// A pattern in the form of MPI's vector collectives.
#pragma once

#include <vector>

#include <mpi.h>

#include "exchange/pattern.hpp"

namespace whorl::exchange {

// Counts and offsets in complex numbers. Offsets are relative to the first chunk of the batch, because MPI's
// are 32-bit. Throws Error if a message is too long for them.
struct Counts {
    std::int64_t send_base = 0, receive_base = 0;
    std::vector<int> send, send_at, receive, receive_at;

    explicit Counts(const Pattern& pattern);
};

// Throws the same Error.
void check_counts(const Pattern& pattern);

// The MPI type of a complex number of 8 or 16 bytes.
MPI_Datatype complex_type(int element);

} // namespace whorl::exchange

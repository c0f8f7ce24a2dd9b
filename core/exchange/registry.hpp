// The registry of transports: a line here and one in transport.cpp for each. Transports are made in their own
// files, which nothing else includes.
#pragma once

#include <string>
#include <vector>

#include "device/deferred.hpp"
#include "device/side_stream.hpp"
#include "exchange/transport.hpp"

namespace whorl::exchange {

// Called once for each Maker, which may hold data that its transports share. `threads` threads copy, or none
// if the host does not reach the buffers.
using MakerOf = Maker (*)(int threads, device::SideStream* stream);

template <class T> Maker maker(int threads, device::SideStream*) {
    return [=](const Communicator& communicator, std::vector<Pattern> batches, int, int element) {
        if constexpr (requires { T(communicator, std::move(batches), element, threads); })
            return std::make_unique<T>(communicator, std::move(batches), element, threads);
        else
            return std::make_unique<T>(communicator, std::move(batches), element);
    };
}

Maker make_alltoall(int threads, device::SideStream* stream);
Maker make_overlap(int threads, device::SideStream* stream);
Maker make_pairwise(int threads, device::SideStream* stream);
Maker make_rma(int threads, device::SideStream* stream);
Maker make_rma_fence(int threads, device::SideStream* stream);
Maker make_datatypes(int threads, device::SideStream* stream);

// Sends and receives by NCCL between GPUs, without MPI, one group for each batch. All rows and columns share
// a stream of the GPU, so that all ranks exchange in the same order.
Maker nccl_maker(device::SideStream& stream);

// A replacement of NCCL on a device of the tests: the messages of a batch are work of its stream, done by
// MPI.
Maker nccl_by_mpi_maker(device::DeferredSideStream& stream);

// Wrappers around a transport.

// Numbers are sent in single precision: half the bytes, with a relative error of 6e-8. `threads` threads
// convert them in place, in the chunks of the send and the receive buffer; a single-precision run has nothing
// to convert.
Maker in_single_precision(int threads, const Maker& make);

// Patterns for only the variables first, ..., first + some - 1.
std::vector<Pattern> part_of(const std::vector<Pattern>& patterns, int first, int some);

// Sends `variables_per_message` variables in each message (Q of GESTS), the last message with the rest. The
// first messages travel while the others are being sent. A library may also be faster for messages of that
// size.
Maker in_groups(int variables_per_message, const Maker& make);

// Throws Error unless MPI was initialised with the thread support that `threading` needs.
void require_threading(const std::string& threading);

// Divides the variables among threads, each of which exchanges its part on its own communicator (threading =
// "multiple").
Maker by_threads(int threads, const Maker& make);

// One thread executes the calls of start() and wait() in order while the caller continues, so that any
// transport overlaps (threading = "serialized").
Maker in_background(const Maker& make);

} // namespace whorl::exchange

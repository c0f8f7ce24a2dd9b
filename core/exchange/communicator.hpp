// MPI as one class: every return code is checked, and all ranks together free MPI's objects. Only this folder
// calls MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "exchange/mpi/mpi.hpp"

namespace whorl::exchange {

void check_mpi(int code, const char* call);
#define WHORL_MPI(call) ::whorl::exchange::check_mpi(call, #call)

// MPI's objects of a flow, communicators and windows, until close(). Destructors do not free them: a
// destructor may run on one rank alone, during an exception or garbage collection, and freeing waits for the
// other ranks. Objects that are not closed stay until the program ends, except those of a single rank.
class Handles {
  public:
    explicit Handles(bool alone) : alone_(alone) {}
    ~Handles();
    Handles(const Handles&) = delete;
    Handles& operator=(const Handles&) = delete;

    // All ranks keep the same objects in the same order.
    void keep(std::function<void()> free) { free_.push_back(std::move(free)); }
    // Frees the objects in reverse order. Collective over the root communicator.
    void close();

  private:
    bool alone_;
    std::vector<std::function<void()>> free_;
};

class Communicator {
  public:
    // A duplicate of the caller's communicator, given as its Fortran handle.
    explicit Communicator(int fortran_handle);
    // The ranks with the same color, in order of this communicator's ranks.
    Communicator split(int color) const;
    // The ranks that can share memory with this one.
    Communicator node() const;
    // The handles of the root and of all communicators split from it.
    Handles& handles() const { return *handles_; }

    MPI_Comm handle() const { return handle_; }
    // The caller's duplicate, from which this communicator was split directly or indirectly, and the rank in
    // it of each rank of this communicator.
    MPI_Comm root() const { return root_; }
    std::vector<int> ranks_in_root() const;
    int rank() const { return rank_; }
    int size() const { return size_; }

    // Reductions in place, over all ranks.
    void sum(std::span<double> values) const;
    void sum(std::span<std::uint64_t> values) const;
    void maximum(std::span<double> values) const; // NaN if any value is NaN
    void broadcast(void* data, std::size_t bytes, int root) const;
    std::string broadcast(const std::string& text, int root) const;
    // True on all ranks if it is true on one, so that all ranks can throw when one fails.
    bool any(bool flag) const;
    void barrier() const;

  private:
    Communicator(MPI_Comm handle, MPI_Comm root, std::shared_ptr<Handles> handles);
    MPI_Comm handle_, root_;
    int rank_ = 0, size_ = 1;
    std::shared_ptr<Handles> handles_;
};

// "none" before MPI is connected, on one rank.
std::string mpi_library();

} // namespace whorl::exchange

// MPI behind one class: every return code is checked, and what MPI keeps is given back by all ranks together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "base/error.hpp"

namespace whorl::exchange {

void check_mpi(int code, const char* call);
#define WHORL_MPI(call) ::whorl::exchange::check_mpi(call, #call)

// What MPI keeps of a flow, communicators and windows, until close(). Destructors free none of it: they run
// on a rank whose exception unwinds, or when it collects its garbage, and freeing waits for the others, who
// are elsewhere. What nobody closed stays until the program ends, but that of a rank by itself, who waits for
// none.
class Handles {
  public:
    explicit Handles(bool alone) : alone_(alone) {}
    ~Handles();
    Handles(const Handles&) = delete;
    Handles& operator=(const Handles&) = delete;

    // All ranks keep the same in the same order.
    void keep(std::function<void()> free) { free_.push_back(std::move(free)); }
    // Frees it, the last first. Collective over the root communicator.
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
    // Those that can share memory with this one.
    Communicator node() const;
    // Of the root and all that was split from it.
    Handles& handles() const { return *handles_; }

    MPI_Comm handle() const { return handle_; }
    // The communicator it was split from, and from what that was, up to the caller's duplicate; with the
    // number there of each rank here.
    MPI_Comm root() const { return root_; }
    std::vector<int> ranks_in_root() const;
    int rank() const { return rank_; }
    int size() const { return size_; }

    // In place, over all ranks.
    void sum(std::span<double> values) const;
    void sum(std::span<std::uint64_t> values) const;
    void maximum(std::span<double> values) const; // NaN where one is
    void broadcast(void* data, std::size_t bytes, int root) const;
    std::string broadcast(const std::string& text, int root) const;
    // True on all ranks as soon as one says so: lets a failure on one rank be thrown by all.
    bool any(bool flag) const;
    void barrier() const;

  private:
    Communicator(MPI_Comm handle, MPI_Comm root, std::shared_ptr<Handles> handles);
    MPI_Comm handle_, root_;
    int rank_ = 0, size_ = 1;
    std::shared_ptr<Handles> handles_;
};

// "none" where whorl is built without MPI.
std::string mpi_library();

} // namespace whorl::exchange

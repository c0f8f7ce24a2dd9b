// The communicator of a build without MPI: it has one rank, and a sum over ranks is the number itself.
#include "exchange/communicator.hpp"

namespace whorl::exchange {

Handles::~Handles() = default;

void Handles::close() {}

Communicator::Communicator(int)
    : Communicator(MPI_COMM_NULL, MPI_COMM_NULL, std::make_shared<Handles>(true)) {}

Communicator::Communicator(MPI_Comm handle, MPI_Comm root, std::shared_ptr<Handles> handles)
    : handle_(handle), root_(root), handles_(std::move(handles)) {}

Communicator Communicator::split(int) const { return *this; }

Communicator Communicator::node() const { return split(0); }

std::vector<int> Communicator::ranks_in_root() const { return {0}; }

void Communicator::sum(std::span<double>) const {}

void Communicator::sum(std::span<std::uint64_t>) const {}

void Communicator::maximum(std::span<double>) const {}

void Communicator::broadcast(void*, std::size_t, int) const {}

std::string Communicator::broadcast(const std::string& text, int) const { return text; }

bool Communicator::any(bool flag) const { return flag; }

void Communicator::barrier() const {}

std::string mpi_library() { return "none"; }

} // namespace whorl::exchange

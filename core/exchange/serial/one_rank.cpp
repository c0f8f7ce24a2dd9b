// The exchange of a build without MPI: the communicator has one rank, and a sum over ranks is the number
// itself.
#include <cstring>

#include "exchange/communicator.hpp"
#include "exchange/neighbours.hpp"
#include "exchange/transport.hpp"

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

std::vector<int> counts_for_this(const Communicator&, std::span<const int> counts) {
    return {counts.begin(), counts.end()};
}

void exchange_items(const Communicator&, const void* from, std::span<const int> sent, void* to,
                    std::span<const int>, std::size_t bytes) {
    if (sent.front() > 0) std::memcpy(to, from, static_cast<std::size_t>(sent.front()) * bytes);
}

// A single rank has no neighbours.
std::vector<int> Neighbours::counts_for_this(std::span<const int>) const { return {}; }

void Neighbours::exchange(const void*, std::span<const int>, void*, std::span<const int>, std::size_t) const {
}

namespace {

// One rank sends nothing, and refuses options that would have no effect.
[[noreturn]] void refuse(const std::string& option, const std::string& value) {
    throw Error(option + " = \"" + value +
                "\" applies to several ranks, but this whorl was built without MPI and runs on one: leave it "
                "out, or build whorl with MPI (cmake -DWHORL_MPI=ON).");
}

void check_choice(const TransportOptions& options) {
    const TransportOptions plain;
    if (options.name != plain.name) refuse("transport", options.name);
    if (options.wire != plain.wire) refuse("wire", options.wire);
    if (options.threading != plain.threading) refuse("threading", options.threading);
}

} // namespace

Maker transport_maker(const TransportOptions& options, device::SideStream*, bool) {
    check_choice(options);
    return {};
}

std::vector<std::string> transport_names() { return {}; }

Traits traits_of(const TransportOptions& options) {
    check_choice(options);
    return {.blocks = true};
}

NodeMemory::NodeMemory(const Communicator& world, std::size_t bytes, int)
    : node_(world.node()), bytes_(bytes) {
    refuse("transport", "rma-shared");
}

void NodeMemory::synchronise() const {}

} // namespace whorl::exchange

// Replaces the transports in a build without MPI: one rank sends nothing, and refuses options that would have
// no effect.
#include "exchange/transport.hpp"

namespace whorl::exchange {

namespace {

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

Maker transport_maker(const TransportOptions& options, device::SideQueue*, bool) {
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

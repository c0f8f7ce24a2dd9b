#include "exchange/transport.hpp"

#include <functional>
#include <map>

#include "exchange/alltoall.hpp"

namespace whorl::exchange {

namespace {
using Maker = std::function<std::unique_ptr<Transport>(const Communicator&, std::vector<Pattern>, int)>;

template <class T> Maker maker() {
    return [](const Communicator& communicator, std::vector<Pattern> batches, int element) {
        return std::make_unique<T>(communicator, std::move(batches), element);
    };
}

// One line a transport.
const std::map<std::string, Maker>& registry() {
    static const std::map<std::string, Maker> makers{
        {"alltoall", maker<AllToAll>()},
    };
    return makers;
}
} // namespace

void check_transport(const std::string& name) {
    std::string names;
    for (const auto& known : transport_names()) names += (names.empty() ? "" : ", ") + known;
    WHORL_REQUIRE(registry().contains(name),
                  "transport = \"" + name + "\" is unknown; choose one of: " + names + ".");
}

std::unique_ptr<Transport> Transport::make(const std::string& name, const Communicator& communicator,
                                           std::vector<Pattern> batches, int element) {
    check_transport(name);
    return registry().at(name)(communicator, std::move(batches), element);
}

std::vector<std::string> transport_names() {
    std::vector<std::string> names;
    for (const auto& [name, make] : registry()) names.push_back(name);
    return names;
}

} // namespace whorl::exchange

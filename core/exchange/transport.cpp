#include "exchange/transport.hpp"

#include <algorithm>
#include <map>

#include "exchange/alltoall.hpp"
#include "exchange/datatypes.hpp"
#include "exchange/groups.hpp"
#include "exchange/nccl.hpp"
#include "exchange/overlap.hpp"
#include "exchange/pairwise.hpp"
#include "exchange/rma.hpp"
#include "exchange/threads.hpp"
#include "exchange/wire.hpp"

namespace whorl::exchange {

namespace {
struct Kind {
    // One for each who asks, as it may hold what its exchanges share; so many threads move what they copy.
    Maker (*make)(int threads);
    Traits traits;
};

template <class T> Maker maker(int threads) {
    return [threads](const Communicator& communicator, std::vector<Pattern> batches, int, int element) {
        if constexpr (requires { T(communicator, std::move(batches), element, threads); })
            return std::make_unique<T>(communicator, std::move(batches), element, threads);
        else
            return std::make_unique<T>(communicator, std::move(batches), element);
    };
}

// One line a transport.
const std::map<std::string, Kind>& registry() {
    static const std::map<std::string, Kind> kinds{
        {"alltoall", {maker<AllToAll>, {.blocks = true}}},
        {"overlap", {maker<Overlap>, {}}},
        {"pairwise", {maker<Pairwise>, {}}},
        {"rma", {maker<Rma>, {}}},
        {"rma-fence", {maker<FencedRma>, {}}},
        {"rma-shared", {maker<Rma>, {.shared = true}}},
        {"datatypes", {maker<Datatypes>, {.strided = true}}},
#ifdef WHORL_NCCL
        {"nccl", {[](int) { return nccl_maker(); }, {.of_gpus = true}}},
#endif
    };
    return kinds;
}

void check_choice(const char* option, const std::string& value, const std::vector<std::string>& known) {
    std::string names;
    for (const auto& name : known) names += (names.empty() ? "" : ", ") + name;
    WHORL_REQUIRE(std::ranges::find(known, value) != known.end(),
                  std::string(option) + " = \"" + value + "\" is unknown; choose one of: " + names + ".");
}
} // namespace

Maker transport_maker(const TransportOptions& options) {
    check_choice("transport", options.name, transport_names());
    check_choice("wire", options.wire, {"full", "single"});
    check_choice("threading", options.threading, {"funneled", "serialized", "multiple"});
    require_threading(options.threading);
    const Kind& kind = registry().at(options.name);
    WHORL_REQUIRE(!kind.traits.strided || options.wire == "full",
                  "transport = \"" + options.name +
                      "\" packs nothing, so nothing converts: choose wire = \"full\" or another transport.");
    // Beside those that work on the next batch, or in a team already, each exchange has the thread it is on.
    const int threads = options.threading == "funneled" ? options.threads : 1;
    Maker make = kind.make(threads);
    if (options.wire == "single") make = in_single_precision(threads, make);
    if (options.variables_per_message > 0) make = in_groups(options.variables_per_message, make);
    if (options.threading == "serialized") make = in_background(make);
    if (options.threading == "multiple") make = by_threads(options.threads, make);
    return make;
}

std::vector<std::string> transport_names() {
    std::vector<std::string> names;
    for (const auto& [name, kind] : registry()) names.push_back(name);
    return names;
}

Traits traits_of(const TransportOptions& options) {
    check_choice("transport", options.name, transport_names());
    Traits traits = registry().at(options.name).traits;
    if (options.threading == "serialized") traits.blocks = false;
    return traits;
}

} // namespace whorl::exchange

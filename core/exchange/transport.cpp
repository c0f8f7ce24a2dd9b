#include "exchange/transport.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/choice.hpp"
#include "exchange/registry.hpp"

namespace whorl::exchange {

namespace {
// The compiler checks that each transport is declared (declared.toml).
struct TransportKind {
    const Traits* traits;
    MakerOf make;

    consteval TransportKind(std::string_view name, MakerOf of_name)
        : traits(&declared_as(name)), make(of_name) {}
    static consteval const Traits& declared_as(std::string_view name) {
        for (const Traits& traits : declared::transports)
            if (traits.name == name) return traits;
        throw "this transport is not in declared.toml";
    }
};

// One line for each transport.
constexpr std::array kinds{
    TransportKind{"alltoall", make_alltoall},
    TransportKind{"overlap", make_overlap},
    TransportKind{"pairwise", make_pairwise},
    TransportKind{"rma", make_rma},
    TransportKind{"rma-fence", make_rma_fence},
    TransportKind{"rma-shared", make_rma},
    TransportKind{"datatypes", make_datatypes},
#ifdef WHORL_NCCL
    TransportKind{"nccl", [](int, device::SideStream* stream) { return nccl_maker(*stream); }},
#endif
};
constexpr bool in_this_build(const Traits& traits) {
    return std::ranges::any_of(kinds, [&](const TransportKind& kind) { return kind.traits == &traits; });
}
static_assert(std::ranges::all_of(declared::transports,
                                  [](const Traits& traits) {
                                      return traits.of_gpus || in_this_build(traits);
                                  }),
              "declared.toml has a transport that is made nowhere");

// NCCL on a device of the tests.
constexpr TransportKind nccl_by_mpi{"nccl", [](int, device::SideStream* stream) {
                                        return nccl_by_mpi_maker(
                                            dynamic_cast<device::DeferredSideStream&>(*stream));
                                    }};

const TransportKind& find_kind(const std::string& name, device::SideStream* stream) {
    if (name == nccl_by_mpi.traits->name && dynamic_cast<device::DeferredSideStream*>(stream))
        return nccl_by_mpi;
    require_one_of("transport", name, transport_names());
    return *std::ranges::find(kinds, name, [](const TransportKind& kind) { return kind.traits->name; });
}
} // namespace

Maker transport_maker(const TransportOptions& options, device::SideStream* stream, bool host_reaches) {
    const TransportKind& kind = find_kind(options.name, stream);
    require_one_of("wire", options.wire, declared::choices::wire);
    require_one_of("threading", options.threading, declared::choices::threading);
    require_threading(options.threading);
    WHORL_REQUIRE(
        !kind.traits->strided || options.wire == "full",
        "transport = \"" + options.name +
            "\" packs nothing, so it cannot convert numbers: choose wire = \"full\" or another transport.");
    // An exchange concurrent with computation, or within a team of threads, uses only its own thread.
    const int threads = options.threading == "funneled" ? options.threads : 1;
    Maker make = kind.make(host_reaches ? threads : 0, stream);
    if (options.wire == "single") make = in_single_precision(threads, make);
    if (options.variables_per_message > 0) make = in_groups(options.variables_per_message, make);
    if (kind.traits->of_gpus) return make; // for which threads of the host do nothing
    if (options.threading == "serialized") make = in_background(make);
    if (options.threading == "multiple") make = by_threads(options.threads, make);
    return make;
}

std::vector<std::string> transport_names() {
    std::vector<std::string> names;
    for (const TransportKind& kind : kinds) names.emplace_back(kind.traits->name);
    return names;
}

Traits traits_of(const TransportOptions& options) {
    std::vector<std::string> names;
    for (const Traits& traits : declared::transports) names.emplace_back(traits.name);
    require_one_of("transport", options.name, names);
    Traits traits = *std::ranges::find(declared::transports, options.name, &Traits::name);
    if (options.threading == "serialized") traits.blocks = false;
    return traits;
}

} // namespace whorl::exchange

#include "particles/kinds.hpp"

#include "base/choice.hpp"
#include "particles/charged.hpp"
#include "particles/inertial.hpp"
#include "particles/molecular.hpp"
#include "particles/tracer.hpp"

namespace whorl::particles {

namespace {

using Make = std::unique_ptr<Kind> (*)(const KindOptions&);

template <class Of> std::unique_ptr<Kind> make(const KindOptions& options) {
    return std::make_unique<Of>(options);
}
template <class Of> std::pair<std::string, Make> entry() { return {Of::name, make<Of>}; }

const std::vector<std::pair<std::string, Make>>& registry() {
    static const std::vector<std::pair<std::string, Make>> kinds = {
        entry<Tracer>(),
        entry<Inertial>(),
        entry<Molecular>(),
        entry<Charged>(),
    };
    return kinds;
}

} // namespace

std::unique_ptr<Kind> make_kind(const std::string& name, const KindOptions& options) {
    std::vector<std::string> names;
    for (const auto& [known, make_one] : registry()) {
        if (known == name) return make_one(options);
        names.push_back(known);
    }
    require_one_of("kind", name, names);
    return nullptr;
}

} // namespace whorl::particles

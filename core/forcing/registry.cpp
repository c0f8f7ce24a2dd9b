#include "forcing/registry.hpp"

#include <cmath>
#include <functional>

#include "base/choice.hpp"

namespace whorl::forcing {

namespace {

using Maker = std::function<std::unique_ptr<Source>(const SourceOptions&, const Surroundings&)>;

const std::map<std::string, Maker> makers{
    {"alvelius", make_alvelius},
    {"constant-energy", make_constant_energy},
    {"constant-power", make_constant_power},
    {"given", make_given},
    {"linear", make_linear},
    {"stochastic", make_stochastic},
};

} // namespace

double SourceOptions::number(const std::string& wanted) const {
    const auto found = numbers.find(wanted);
    WHORL_REQUIRE(found != numbers.end(), "forcing \"" + name + "\" needs the number " + wanted + ".");
    return found->second;
}

double SourceOptions::number(const std::string& wanted, double otherwise) const {
    const auto found = numbers.find(wanted);
    return found == numbers.end() ? otherwise : found->second;
}

Band SourceOptions::band() const {
    return {number("k_min", 0.0), number("k_max"), static_cast<Band::Of>(number("of", 0.0))};
}

std::unique_ptr<Source> make_source(const SourceOptions& options, const Surroundings& around) {
    const auto found = makers.find(options.kind);
    const auto name_of = [](const auto& each) { return each.first; };
    WHORL_REQUIRE(found != makers.end(), "forcing \"" + options.kind + "\" is unknown; choose one of: " +
                                             listed(makers, ", ", name_of) + ".");
    return found->second(options, around);
}

ForcedModes modes_for(const SourceOptions& options, const Surroundings& around) {
    const Band band = options.band();
    WHORL_REQUIRE(count_modes(band, around.box, around.truncation) > 0,
                  "forcing \"" + options.name +
                      "\" has no modes: none is kept from k_min = " + shown(band.least) +
                      " to k_max = " + shown(band.most) + " times the smallest wavenumber; widen the band.");
    return modes_of(band, around.box, around.truncation, around.table);
}

double shape_of(const SourceOptions& options, const ForcedMode& mode, const Box& box) {
    if (!options.has("peak")) return 1.0;
    const double k = std::sqrt(square(mode.k)) / box.smallest_wavenumber();
    const double off = (k - options.number("peak")) / options.number("width");
    return std::exp(-0.25 * off * off);
}

} // namespace whorl::forcing

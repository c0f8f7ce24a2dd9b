// The state of the sources that a restart needs: the work so far, the values that a multistep scheme
// remembers (WorkOfSource), and the source's own state. Names are "label.number.name", with the number among
// the sources of this label.
#pragma once

#include <map>
#include <string>

#include "steppers/forces.hpp"

namespace whorl {

template <class Forces> std::string place_of_source(Forces& forces, std::size_t n) {
    const std::string label = forces.source(n).name();
    std::size_t before = 0;
    for (std::size_t other = 0; other < n; ++other) before += forces.source(other).name() == label ? 1 : 0;
    return label + "." + std::to_string(before) + ".";
}

template <class Forces> std::map<std::string, double> saved_sources(Forces& forces) {
    std::map<std::string, double> saved;
    for (std::size_t n = 0; n < forces.count(); ++n) {
        const std::string of = place_of_source(forces, n);
        saved[of + "power"] = forces.work(n).power;
        saved[of + "work"] = forces.work(n).total;
        for (std::size_t j = 1; j < Stage::registers; ++j) {
            saved[of + "earlier_power" + std::to_string(j)] = forces.work(n).registers[j];
            saved[of + "earlier_exponent" + std::to_string(j)] = forces.work(n).growth.exponents[j];
        }
        for (const auto& [name, value] : forces.source(n).save()) saved[of + "state." + name] = value;
    }
    return saved;
}

template <class Forces> void restore(Forces& forces, const std::map<std::string, double>& saved) {
    for (std::size_t n = 0; n < forces.count(); ++n) {
        const std::string of = place_of_source(forces, n), state = of + "state.";
        const auto value = [&](const std::string& name) {
            const auto found = saved.find(of + name);
            return found == saved.end() ? 0.0 : found->second;
        };
        WorkOfSource& work = forces.work(n);
        work.power = value("power");
        work.total = value("work");
        for (std::size_t j = 1; j < Stage::registers; ++j) {
            work.registers[j] = value("earlier_power" + std::to_string(j));
            work.growth.exponents[j] = value("earlier_exponent" + std::to_string(j));
        }
        std::map<std::string, double> own;
        for (const auto& [name, kept] : saved)
            if (name.starts_with(state)) own[name.substr(state.size())] = kept;
        forces.source(n).restore(own);
    }
}

} // namespace whorl

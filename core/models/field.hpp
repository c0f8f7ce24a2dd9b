// Declarations of a model's fields: those of its state, and those that can be read from it.
#pragma once

#include <array>

#include "base/parity.hpp"

namespace whorl {

// A solenoidal field has three components with k.a = 0.
struct FieldGroup {
    const char* name;
    int components;
    bool solenoidal;
};

struct Output {
    const char* name;
    int components;
    std::array<Parity, 3> parities; // of the components
};

// A model declares is_wave_function if its first two fields are r and s and it has the alpha, beta and rho0
// of models/gross_pitaevskii.hpp.
template <class Model>
concept IsWaveFunction = requires { requires Model::is_wave_function; };

// Linear forcing multiplies only the fluctuations, so that no mean grows out of rounding, except for wave
// functions.
template <class Model> inline constexpr bool mean_grows = IsWaveFunction<Model>;

// A model declares amplifies if its linear coupling makes some modes grow.
template <class Model>
concept Amplifies = requires { requires Model::amplifies; };

// The number of the rate at which a field decays.
template <class Model> constexpr int rate_of(int field) {
    if constexpr (Model::rates == 1)
        return 0;
    else
        return Model::rate_of(field);
}

// Whether no two groups of fields share a rate of decay.
template <class Model> constexpr bool has_rates_by_group() {
    std::array<int, Model::rates> groups{};
    int number = 0, field = 0;
    for (const FieldGroup& group : Model::groups) {
        ++number;
        for (int c = 0; c < group.components; ++c, ++field) {
            int& of_rate = groups[static_cast<std::size_t>(rate_of<Model>(field))];
            if (of_rate != 0 && of_rate != number) return false;
            of_rate = number;
        }
    }
    return true;
}

} // namespace whorl

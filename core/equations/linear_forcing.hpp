// The linear forcing of all modes of typed equations in a stage.
#pragma once

#include "equations/tables.hpp"
#include "steppers/stage_data.hpp"

namespace whorl::equations {

// Forcing of each component (Growth): in the factor, or where that is not possible in da.
template <class Real> struct LinearForcing {
    bool grows = false, lags = false, explicitly = false;
    std::array<Real, most_components> growth{}, linear{}; // of each field: s' - s; of each component
    std::array<Carry<Real>, most_components> carries{};

    LinearForcing(const Tables<Real>& tables, const TendencyData<Real>& data, const Stage& now, bool exact) {
        if (!data.growth) return;
        explicitly = now.exponential || (exact && !data.grows_alike);
        grows = !explicitly && now.writes() & 1;
        for (int c = 0; c < tables.components; ++c) {
            const Growth& of = data.growth[c];
            const auto at = static_cast<std::size_t>(c);
            linear[at] = static_cast<Real>(of.rate);
            if (!grows) continue;
            growth[static_cast<std::size_t>(tables.field_of[at])] =
                static_cast<Real>(of.over(now, data.step->dt));
            for (std::size_t j = 0, r = 0; j < Stage::registers; ++j) {
                if (!(now.reads() >> j & 1)) continue;
                lags = lags || of.lags[j] != 0.0;
                carries[at][r++] = static_cast<Real>(std::exp(of.lags[j]));
            }
        }
    }
};

} // namespace whorl::equations

// The largest values of a kernel, collected by a thread.
#pragma once

#include <cstdint>

namespace whorl::device {

// The largest of a kernel's `maxima` values >= 0 of each element, lane by lane so that it vectorises. A NaN
// or an infinity makes `spoilt` NaN, and with it all maxima.
template <class Kernel> struct Maxima {
    static constexpr int lanes = 16, maxima = Kernel::maxima, held = maxima > 0 ? maxima : 1;
    using Value = typename Kernel::Value;
    Value largest[held][lanes] = {};
    Value spoilt[lanes] = {};

    template <class Row> void add(const Row& row) {
        for (std::int64_t i = 0; i < row.length; i += lanes) {
            const std::int64_t left = row.length - i;
            if (left >= lanes)
                for (int l = 0; l < lanes; ++l) add_element(row, i + l, l);
            else
                for (int l = 0; l < static_cast<int>(left); ++l) add_element(row, i + l, l);
        }
    }
    double value(int m) const {
        double result = 0.0;
        for (int l = 0; l < lanes; ++l) {
            result = largest[m][l] > result ? largest[m][l] : result;
            if (!(spoilt[l] == Value(0))) return static_cast<double>(spoilt[l]);
        }
        return result;
    }

  private:
    template <class Row> void add_element(const Row& row, std::int64_t i, int lane) {
        Value measured[held];
        row(i, measured);
        for (int m = 0; m < maxima; ++m) {
            largest[m][lane] = measured[m] > largest[m][lane] ? measured[m] : largest[m][lane];
            spoilt[lane] += measured[m] - measured[m];
        }
    }
};

} // namespace whorl::device

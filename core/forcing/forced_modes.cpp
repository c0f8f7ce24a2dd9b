#include "forcing/forced_modes.hpp"

#include <cmath>

namespace whorl::forcing {

namespace {

// So that a bound such as 2 sqrt 2 holds the modes that lie on it.
constexpr double rounding = 1e-9;

double weight_of(const std::array<int, 3>& n, const Box& box) {
    double weight = n[0] > 0 ? 2.0 : 1.0;
    for (const int axis : {1, 2})
        if (box.wall(axis) && n[static_cast<std::size_t>(axis)] > 0) weight *= 2.0;
    return weight;
}

// The range of signed wavenumbers that may belong to a band.
std::array<int, 2> range_of(int axis, const Band& band, const Box& box, const Truncation& truncation) {
    const double most = band.most * box.smallest_wavenumber() / box.unit(axis) * (1.0 + rounding);
    const int kept = truncation.extent(axis);
    const int last = most < kept ? static_cast<int>(most) : kept;
    return {axis == 0 || box.wall(axis) ? 0 : -last, last};
}

} // namespace

bool Band::holds(const std::array<int, 3>& n, double k, double smallest) const {
    if (n[0] == 0 && n[1] == 0 && n[2] == 0) return mean;
    if (of == Of::horizontal && n[2] != 0) return false;
    if (of == Of::vertical && (n[0] != 0 || n[1] != 0)) return false;
    const double ratio = k / smallest;
    return ratio >= least * (1.0 - rounding) && ratio <= most * (1.0 + rounding);
}

void for_each_mode(const Band& band, const Box& box, const Truncation& truncation,
                   const std::function<void(const ForcedMode&)>& use) {
    const auto x = range_of(0, band, box, truncation), y = range_of(1, band, box, truncation),
               z = range_of(2, band, box, truncation);
    std::array<int, 3> n{};
    for (n[2] = z[0]; n[2] <= z[1]; ++n[2])
        for (n[1] = y[0]; n[1] <= y[1]; ++n[1])
            for (n[0] = x[0]; n[0] <= x[1]; ++n[0]) {
                const Wavenumber<double> k{n[0] * box.unit(0), n[1] * box.unit(1), n[2] * box.unit(2)};
                if (band.holds(n, std::sqrt(square(k)), box.smallest_wavenumber()) &&
                    truncation.kept(n[0], std::abs(n[1]), std::abs(n[2])))
                    use({n, k, weight_of(n, box), -1});
            }
}

std::int64_t count_modes(const Band& band, const Box& box, const Truncation& truncation) {
    std::int64_t count = 0;
    for_each_mode(band, box, truncation, [&](const ForcedMode&) { ++count; });
    return count;
}

ForcedModes modes_of(const Band& band, const Box& box, const Truncation& truncation, const RowTable& table) {
    ForcedModes modes;
    const double smallest = box.smallest_wavenumber();
    const std::vector<int> ky = table.signed_ky(truncation);
    for (int j = 0; j < table.height(); ++j)
        for (int l = 0; l < table.nz(); ++l) {
            const Row& row = table.rows()[static_cast<std::size_t>(j) * static_cast<std::size_t>(table.nz()) +
                                          static_cast<std::size_t>(l)];
            const int y = ky[static_cast<std::size_t>(j)], z = line_number(l, table.nz(), box.wall(2));
            const double k_y = y * box.unit(1), k_z = z * box.unit(2);
            if (std::hypot(k_y, k_z) > band.most * smallest * (1.0 + rounding)) continue;
            for (int i = 0; i < row.length; ++i) {
                const std::array<int, 3> n{table.kx().at(i), y, z};
                const Wavenumber<double> k{n[0] * box.unit(0), k_y, k_z};
                if (band.holds(n, std::sqrt(square(k)), smallest))
                    modes.push_back({n, k, weight_of(n, box), row.offset + i});
            }
        }
    return modes;
}

} // namespace whorl::forcing

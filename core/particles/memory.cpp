#include "particles/memory.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace whorl::particles {

namespace {

constexpr std::int64_t number = sizeof(double), identity = sizeof(std::int64_t), vector = 3 * number;
constexpr std::int64_t of_order = sizeof(std::uint32_t);

Here share_of(const ParticleNeeds& needs, const Layout& layout) {
    const double rows = layout.y.size(), planes = layout.point_z.size();
    const auto [p_row, p_col] = layout.grid;
    if (p_row * p_col == 1) return {needs.count, 0};
    const double part = rows * planes / (1.0 * layout.ny * layout.nz);
    const auto own = static_cast<std::int64_t>(std::ceil(static_cast<double>(needs.count) * part));
    const auto around = [&](double points, int ranks) {
        return ranks > 1 && points > 0 ? 1.0 + static_cast<double>(needs.points - 1) / points : 1.0;
    };
    const double reached = around(rows, p_row) * around(planes, p_col) - 1.0;
    return {own, std::min(needs.count - own,
                          static_cast<std::int64_t>(std::ceil(static_cast<double>(own) * reached)))};
}

// Of a vector that grows by single elements.
std::int64_t grown(std::int64_t count) {
    return count > 0 ? static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count))) : 0;
}

} // namespace

// particles/sampler.cpp: places, sums and the order of own particles and guests, messages of these, and the
// values of the largest batch of planes.
std::int64_t bytes_of_sampler(const Here& here, std::int64_t inputs, const programs::Share& share) {
    const Layout& layout = share.layout;
    const std::int64_t lanes = share.queues ? 1 : 8;
    const std::int64_t rows = (layout.y.size() + lanes - 1) / lanes * lanes;
    const std::int64_t values = inputs * layout.largest_point_batch() * rows * layout.nx * share.value / 2;
    const std::int64_t each = vector + inputs * number + of_order;
    const std::int64_t all = here.own + here.guests;
    if (share.queues) return values + (all + all / 4) * each;
    const std::int64_t of_guest = 2 * of_order + vector + inputs * number;
    return values + all * each + here.guests * of_guest + 2 * (layout.nz + 1) * identity;
}

std::int64_t bytes_of_cloud(const Here& here, std::int64_t registers, const programs::Share& share) {
    if (share.queues) return 0;
    return grown(here.own) * identity + registers * grown(3 * here.own) * number + here.own * vector;
}

std::int64_t bytes_of(const ParticleNeeds& needs, const programs::Share& share) {
    const Here here = share_of(needs, share.layout);
    const std::int64_t read = needs.inputs > 0 ? bytes_of_sampler(here, needs.inputs, share) : 0;
    return bytes_of_sampler(here, 3, share) + bytes_of_cloud(here, needs.registers, share) + read;
}

} // namespace whorl::particles

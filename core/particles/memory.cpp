#include "particles/memory.hpp"

#include <algorithm>
#include <cmath>

#include "device/level.hpp"

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

// Whether points are shown as they go by, with whorl's own lines (RoundTrip::shown_rows()).
bool streams(const programs::Share& share) { return !share.queues && share.layout.grid.p_row == 1; }

// particles/streamed_gather.cpp: sums of each pair of planes of a stencil, the order, bins of particles, and
// some blocks of rows for each thread.
std::int64_t bytes_of_streamed(std::int64_t particles, std::int64_t inputs, std::int64_t points,
                               const programs::Share& share) {
    const Layout& layout = share.layout;
    const std::int64_t of_real = share.value / 2, rows = 2 * device::vector_bytes / of_real;
    const std::int64_t blocks = (layout.ny + rows - 1) / rows, bins = blocks * (layout.nz + 1);
    const std::int64_t slots = 2 * std::min((points - 1 + rows - 1) / rows, blocks) + 1;
    const std::int64_t parts = layout.nz == 1 ? 1 : points / 2;
    return particles * (parts * inputs * number + of_order) + bins * of_order +
           share.executors * slots * rows * inputs * layout.nx * of_real;
}

} // namespace

// particles/sampler.cpp: places, sums and the order of own particles and guests, messages of these, and the
// values of the largest batch of planes.
std::int64_t bytes_of_sampler(const Here& here, std::int64_t inputs, std::int64_t points,
                              const programs::Share& share) {
    const Layout& layout = share.layout;
    const std::int64_t all = here.own + here.guests;
    const std::int64_t of_guests = here.guests * (2 * of_order + 2 * vector + inputs * number);
    if (streams(share)) return bytes_of_streamed(all, inputs, points, share) + of_guests;
    const std::int64_t lanes = share.queues ? 1 : 8;
    const std::int64_t rows = (layout.y.size() + lanes - 1) / lanes * lanes;
    const std::int64_t values = inputs * layout.largest_point_batch() * rows * layout.nx * share.value / 2;
    const std::int64_t each = vector + inputs * number + of_order;
    if (share.queues) return values + (all + all / 4) * each;
    return values + all * each + of_guests + 2 * (layout.nz + 1) * identity;
}

std::int64_t bytes_of_cloud(const Here& here, std::int64_t vectors, std::int64_t numbers,
                            const programs::Share& share) {
    if (share.queues) return 0;
    return here.own * (identity + vectors * vector + numbers * number);
}

std::int64_t bytes_of(const ParticleNeeds& needs, const programs::Share& share) {
    const Here here = share_of(needs, share.layout);
    const std::int64_t kept = streams(share) ? needs.kept : needs.sampled;
    const std::int64_t read =
        needs.inputs > 0 ? bytes_of_sampler(here, needs.inputs, needs.points, share) : 0;
    return bytes_of_sampler(here, needs.sampled, needs.points, share) +
           bytes_of_cloud(here, needs.vectors, kept, share) + read;
}

} // namespace whorl::particles

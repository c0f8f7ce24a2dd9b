#include "particles/memory.hpp"

#include <algorithm>
#include <cmath>

#include "device/level.hpp"
#include "particles/layer.hpp"
#include "particles/row_blocks.hpp"

namespace whorl::particles {

namespace {

constexpr std::int64_t number = sizeof(double), identity = sizeof(std::uint32_t), vector = 3 * number;
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

// Whether a round trip shows rows of points, with whorl's own FFTs (RoundTrip::shown_rows()).
bool planewise(const programs::Share& share) { return !share.streams && share.layout.grid.p_row == 1; }

// particles/planewise_gather.cpp: the batches of the layers that exist at a time. Each thread has as many
// layers around its plane as a stencil has planes. Layers between the last plane and the first wait for both.
std::int64_t bytes_of_layers(std::int64_t particles, std::int64_t inputs, std::int64_t points,
                             std::int64_t blocks, const programs::Share& share) {
    const Layout& layout = share.layout;
    const std::int64_t parts = layout.nz == 1 ? 1 : points / 2;
    const std::int64_t of_rank = layout.point_z.size() + (layout.grid.p_col > 1 ? points - 1 : 0);
    const std::int64_t layers = std::min(of_rank, share.executors * points + points - 1);
    const std::int64_t batches = particles / (of_rank * LayerBatch::lanes) + blocks;
    const std::size_t of_batch =
        LayerBatch::numbers(static_cast<int>(parts), LayerBatch::sums_of(static_cast<int>(inputs)));
    const std::size_t size = LayerRoom::size_for(static_cast<std::size_t>(batches) * of_batch);
    return layers * static_cast<std::int64_t>(size) * number;
}

// The sums of particles, their order and bins, layers, and the rows that each thread keeps (row_record.hpp).
std::int64_t bytes_of_planewise(std::int64_t particles, std::int64_t inputs, std::int64_t points,
                                const programs::Share& share) {
    const Layout& layout = share.layout;
    const std::int64_t of_real = share.value / 2;
    GridAxis x, y;
    x.points = layout.nx;
    y.points = layout.ny;
    const RowBlocks blocks({x, y, GridAxis()}, static_cast<int>(points),
                           static_cast<int>(device::vector_bytes / of_real));
    const std::int64_t bins = blocks.all() * (layout.nz + 1);
    return particles * (inputs * number + of_order) + bins * of_order +
           bytes_of_layers(particles, inputs, points, blocks.all(), share) +
           share.executors * blocks.numbers() * inputs * of_real;
}

} // namespace

// particles/sampler_on_threads.cpp: places, sums and the order of own and ghost particles, messages about
// ghost particles, and the values of the largest batch of planes.
std::int64_t bytes_of_sampler(const Here& here, std::int64_t inputs, std::int64_t points,
                              const programs::Share& share) {
    const Layout& layout = share.layout;
    const std::int64_t all = here.own + here.ghosts;
    const std::int64_t of_ghosts = here.ghosts * (2 * of_order + 2 * vector + inputs * number);
    if (planewise(share)) return bytes_of_planewise(all, inputs, points, share) + of_ghosts;
    const std::int64_t lanes = share.streams ? 1 : 8;
    const std::int64_t rows = (layout.y.size() + lanes - 1) / lanes * lanes;
    const std::int64_t values = inputs * layout.largest_point_batch() * rows * layout.nx * share.value / 2;
    const std::int64_t each = vector + inputs * number;
    if (share.streams) return values + (all + all / 4) * each;
    return values + all * (each + of_order) + of_ghosts + 2 * (layout.nz + 1) * identity;
}

std::int64_t bytes_of_particle_set(const Here& here, std::int64_t vectors, const programs::Share& share) {
    const std::int64_t particles = share.streams ? here.own + here.own / 4 : here.own;
    return particles * (identity + vectors * vector);
}

std::int64_t bytes_of(const ParticleNeeds& needs, const programs::Share& share) {
    const Here here = share_of(needs, share.layout);
    const std::int64_t read =
        needs.inputs > 0 ? bytes_of_sampler(here, needs.inputs, needs.points, share) : 0;
    return bytes_of_sampler(here, needs.sampled, needs.points, share) +
           bytes_of_particle_set(here, needs.vectors, share) + read;
}

} // namespace whorl::particles

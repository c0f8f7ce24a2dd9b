// The contribution of a batch of planes to the values at the particles around them:
//
//   v_p += sum over the points of the stencil in the batch of w_x w_y w_z c(x, y, z)
#pragma once

#include "base/parity.hpp"
#include "particles/stencil.hpp"
#include "roundtrip/point_arrays.hpp"

namespace whorl::particles {

// Values at the points of a batch, with `lanes` rows side by side:
//   [variable][z][row / lanes][x][row % lanes]
template <class Real> struct LaneArray {
    Real* data = nullptr;
    PhysicalBlock block{};
    int lanes = 1;

    WHORL_INLINE int groups() const { return (block.y.size() + lanes - 1) / lanes; }
    WHORL_INLINE std::int64_t plane() const { return 1LL * groups() * block.nx * lanes; }
    // The first value of a plane, and the offsets of a row and of a point within a plane.
    WHORL_INLINE Real* plane_of(int variable, int z) const {
        return data + (1LL * variable * block.z.size() + (z - block.z.begin)) * plane();
    }
    WHORL_INLINE int row_at(int y) const {
        const int row = y - block.y.begin;
        return row / lanes * block.nx * lanes + row % lanes;
    }
    WHORL_INLINE int point_at(int x) const { return x * lanes; }
};

// The particles [begin, end) of an order. Without an order they are these numbers themselves, and particles
// whose stencils have no plane of the batch get nothing.
struct Particles {
    const std::uint32_t* order = nullptr;
    const double* places = nullptr; // [particle][axis], in spacings
    std::int64_t begin = 0, end = 0;
};

// A stencil has `points` points along an axis; 0: as many as `interpolation` says.
template <class Real, int points> struct Gather {
    Interpolation interpolation;
    GridAxis axes[3];
    const Parity* parities = nullptr; // [variable]
    int variables = 0;
    LaneArray<Real> values{}; // of the batch
    Particles of;
    double* sums = nullptr; // [particle][variable]
    int together = 1;       // particles of a row of the kernel

    struct RowOf {
        const Gather& gather;
        std::int64_t first;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const std::int64_t number = gather.of.begin + first + i;
            gather.add(gather.of.order ? gather.of.order[number] : static_cast<std::uint32_t>(number));
        }
    };
    std::int64_t rows() const { return (of.end - of.begin + together - 1) / together; }
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const std::int64_t first = r * together, left = of.end - of.begin - first;
        return {*this, first, static_cast<int>(left < together ? left : together)};
    }

    WHORL_INLINE bool reaches(const Stencil& z) const {
        bool any = false;
        for (int l = 0; l < z.count; ++l)
            any = any || (z.at[l] >= values.block.z.begin && z.at[l] < values.block.z.end);
        return any;
    }
    WHORL_INLINE void add(std::uint32_t particle) const {
        const double* const place = of.places + 3LL * particle;
        const Stencil z(axes[2], interpolation, place[2]);
        if (!of.order && !reaches(z)) return;
        const Stencil x(axes[0], interpolation, place[0]), y(axes[1], interpolation, place[1]);
        int along_x[Interpolation::most], along_y[Interpolation::most];
        bool here[Interpolation::most];
        for (int i = 0; i < x.count; ++i) along_x[i] = values.point_at(x.at[i]);
        for (int j = 0; j < y.count; ++j) {
            here[j] = y.at[j] >= values.block.y.begin && y.at[j] < values.block.y.end;
            along_y[j] = here[j] ? values.row_at(y.at[j]) : 0;
        }
        // Rows that lie side by side are a vector.
        const bool whole = points > 0 && x.count == points && y.count == points;
        bool beside = whole;
        for (int j = 1; j < y.count; ++j) beside = beside && here[j] && along_y[j] == along_y[0] + j;
        beside = beside && here[0];
        for (int v = 0; v < variables; ++v) {
            const Parity odd = parities[v];
            double wx[Interpolation::most], of_rows[Interpolation::most] = {};
            for (int i = 0; i < x.count; ++i) wx[i] = x.weight(i, odd.x);
            for (int l = 0; l < z.count; ++l) {
                if (z.at[l] < values.block.z.begin || z.at[l] >= values.block.z.end) continue;
                const Real* const plane = values.plane_of(v, z.at[l]);
                const double wz = z.weight(l, odd.z);
                const auto add = [&](int count_x, int count_y, const auto& row) {
                    for (int i = 0; i < count_x; ++i) {
                        const double w = wz * wx[i];
                        const Real* const at_x = plane + along_x[i];
                        for (int j = 0; j < count_y; ++j) of_rows[j] += w * static_cast<double>(at_x[row(j)]);
                    }
                };
                if (beside)
                    add(points, points, [first = along_y[0]](int j) { return first + j; });
                else if (whole)
                    add(points, points, [&](int j) { return along_y[j]; });
                else
                    add(x.count, y.count, [&](int j) { return along_y[j]; });
            }
            double sum = 0.0;
            for (int j = 0; j < y.count; ++j) sum += here[j] ? y.weight(j, odd.y) * of_rows[j] : 0.0;
            sums[1LL * particle * variables + v] += sum;
        }
    }
};

} // namespace whorl::particles

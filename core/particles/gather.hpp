// What the points of a batch of planes give to the particles around them:
//
//   v_p += sum over the points of the stencil in the batch of w_x w_y w_z c(x, y, z)
#pragma once

#include "base/parity.hpp"
#include "particles/stencil.hpp"
#include "roundtrip/point_arrays.hpp"

namespace whorl::particles {

// Particles of an order, from number `begin` on.
struct Particles {
    const std::uint32_t* order = nullptr;
    const double* places = nullptr; // [particle][axis], in spacings
    std::int64_t begin = 0, end = 0;
};

template <class Real> struct Gather {
    Interpolation interpolation;
    GridAxis axes[3];
    const Parity* parities = nullptr; // [variable]
    int variables = 0;
    BlockArray<Real> values{}; // of the batch
    Particles of;
    double* sums = nullptr; // [particle][variable]
    int together = 1;       // particles of a row of the kernel

    struct RowOf {
        const Gather& gather;
        std::int64_t first;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            gather.add(gather.of.order[gather.of.begin + first + i]);
        }
    };
    std::int64_t rows() const { return (of.end - of.begin + together - 1) / together; }
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const std::int64_t first = r * together, left = of.end - of.begin - first;
        return {*this, first, static_cast<int>(left < together ? left : together)};
    }

    WHORL_INLINE void add(std::uint32_t particle) const {
        const double* const place = of.places + 3LL * particle;
        const Stencil x(axes[0], interpolation, place[0]), y(axes[1], interpolation, place[1]),
            z(axes[2], interpolation, place[2]);
        for (int l = 0; l < z.count; ++l) {
            if (z.at[l] < values.block.z.begin || z.at[l] >= values.block.z.end) continue;
            for (int j = 0; j < y.count; ++j) {
                if (y.at[j] < values.block.y.begin || y.at[j] >= values.block.y.end) continue;
                for (int v = 0; v < variables; ++v) {
                    const Parity odd = parities[v];
                    const Real* const row = &values.at(v, {0, y.at[j], z.at[l]});
                    double sum = 0.0;
                    for (int i = 0; i < x.count; ++i)
                        sum += x.weight(i, odd.x) * static_cast<double>(row[x.at[i]]);
                    sums[1LL * particle * variables + v] += z.weight(l, odd.z) * y.weight(j, odd.y) * sum;
                }
            }
        }
    }
};

} // namespace whorl::particles

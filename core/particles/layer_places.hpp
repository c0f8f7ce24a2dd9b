// Where particles are on the grid, eight worked out side by side in a vector: the bin of each, and its place
// in a layer (layer.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "device/level.hpp"
#include "particles/layer.hpp"
#include "particles/row_blocks.hpp"

namespace whorl::particles {

class LayerPlaces {
    static constexpr int lanes = LayerBatch::lanes;

  public:
    using Lanes = device::VectorOf<double, lanes* static_cast<int>(sizeof(double))>::type;

    LayerPlaces(const GridAxis& z, const RowBlocks& blocks) : z_(z), blocks_(blocks) {}

    // The numbers of bins [layer][block that completes the stencil], from the layer below point 0 on, which
    // there is between walls.
    WHORL_INLINE void bins(const BatchPositions& positions, std::int32_t (&to)[lanes]) const {
        const Lanes cell_y = floor_of(places_of(blocks_.y, positions[1])),
                    cell_z = floor_of(places_of(z_, positions[2]));
        for (int i = 0; i < lanes; ++i)
            to[i] = (static_cast<int>(cell_z[i]) + (z_.wall ? 1 : 0)) * blocks_.all() +
                    blocks_.complete_at(static_cast<int>(cell_y[i]));
    }

    // Of some particles at these positions, in that cell along z; their stencils are complete with a block.
    WHORL_INLINE void find(const BatchPositions& positions, int cell, int block, LayerBatch& batch) const {
        const GridAxis &x = blocks_.x, &y = blocks_.y;
        const Lanes in_x = places_of(x, positions[0]), cell_x = floor_of(in_x),
                    in_y = places_of(y, positions[1]), cell_y = floor_of(in_y);
        const double before = blocks_.stencil / 2 - 1;
        const Lanes row = around(cell_y - before, block), within = bounded(row, block);
        put(in_x - cell_x, batch.t[0]);
        put(in_y - cell_y + (row - within), batch.t[1]);
        put(within_cell(places_of(z_, positions[2]), cell), batch.t[2]);
        for (int i = 0; i < lanes; ++i)
            batch.at[i] = static_cast<std::int32_t>(blocks_.column(static_cast<int>(cell_x[i] - before))) +
                          blocks_.place(static_cast<int>(within[i]));
    }

  private:
    static WHORL_INLINE void put(const Lanes& from, double (&to)[lanes]) {
        std::memcpy(to, &from, sizeof(from));
    }
    // The first row of a stencil that goes around the box.
    WHORL_INLINE Lanes around(const Lanes& row, int block) const {
        if (blocks_.y.wall) return row;
        const auto [least, most] = blocks_.bounds(block);
        const double points = blocks_.y.points;
        const Lanes below = row < least - 1.5 ? row + points : row;
        return below > most + 1.5 ? below - points : below;
    }
    // Of the stencils that are complete with a block, by which particles were sorted: rounding may have moved
    // one to the next cell.
    WHORL_INLINE Lanes bounded(const Lanes& row, int block) const {
        const auto [least, most] = blocks_.bounds(block);
        const Lanes above = row < double(least) ? Lanes{} + double(least) : row;
        return above > double(most) ? Lanes{} + double(most) : above;
    }
    // In the cell that particles were sorted by.
    WHORL_INLINE Lanes within_cell(const Lanes& place, int cell) const {
        const double points = z_.points;
        Lanes t = place - static_cast<double>(cell);
        t = t > 1.5 ? t - points : t;
        return t < -0.5 ? t + points : t;
    }
    // As GridAxis::place() is.
    static WHORL_INLINE Lanes places_of(const GridAxis& axis, const double* positions) {
        Lanes at;
        std::memcpy(&at, positions, sizeof(at));
        at = at * axis.per_spacing - axis.first;
        const double box = axis.points;
        if (axis.wall) {
            at = at > -axis.first ? at : Lanes{} - axis.first;
            return at < box - axis.first ? at : Lanes{} + (box - axis.first);
        }
        const Lanes place = at - box * floor_of(at * axis.per_point), below = place < box ? place : Lanes{};
        return below > 0.0 ? below : Lanes{};
    }
    static WHORL_INLINE Lanes floor_of(const Lanes& of) {
        Lanes result;
        for (int i = 0; i < lanes; ++i) result[i] = std::floor(of[i]);
        return result;
    }

    const GridAxis& z_;
    const RowBlocks& blocks_;
};

} // namespace whorl::particles

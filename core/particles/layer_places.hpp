// Places of particles on the grid, found for eight particles at a time in a vector: their bins, and their
// places in a layer (layer.hpp).
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

    // The numbers of bins [layer][block that completes the stencil]. Between walls, layer 0 is the one below
    // point 0.
    WHORL_INLINE void bins(const BatchPositions& positions, std::int32_t (&to)[lanes]) const {
        Lanes place, cell_y, cell_z;
        find_places(blocks_.y, positions[1], place);
        round_down(place, cell_y);
        find_places(z_, positions[2], place);
        round_down(place, cell_z);
        for (int i = 0; i < lanes; ++i)
            to[i] = (static_cast<int>(cell_z[i]) + (z_.wall ? 1 : 0)) * blocks_.all() +
                    blocks_.complete_at(static_cast<int>(cell_y[i]));
    }

    // Finds the places of particles at these positions, in cell `cell` along z. Block `block` completes their
    // stencils.
    WHORL_INLINE void find(const BatchPositions& positions, int cell, int block, LayerBatch& batch) const {
        const double before = blocks_.stencil / 2 - 1;
        Lanes in_x, cell_x, in_y, cell_y, in_z;
        find_places(blocks_.x, positions[0], in_x);
        round_down(in_x, cell_x);
        find_places(blocks_.y, positions[1], in_y);
        round_down(in_y, cell_y);
        find_places(z_, positions[2], in_z);
        Lanes row = cell_y - before;
        go_around(row, block);
        Lanes within = row;
        keep_within(within, block);
        put(in_x - cell_x, batch.t[0]);
        put(in_y - cell_y + (row - within), batch.t[1]);
        move_to_cell(in_z, cell);
        put(in_z, batch.t[2]);
        for (int i = 0; i < lanes; ++i)
            batch.at[i] = static_cast<std::int32_t>(blocks_.column(static_cast<int>(cell_x[i] - before))) +
                          blocks_.place(static_cast<int>(within[i]));
    }

  private:
    // Vectors are passed by reference: a level whose registers are narrower has no ABI for them.
    static WHORL_INLINE void put(const Lanes& from, double (&to)[lanes]) {
        std::memcpy(to, &from, sizeof(from));
    }
    // Wraps the first rows of stencils around the box.
    WHORL_INLINE void go_around(Lanes& row, int block) const {
        if (blocks_.y.wall) return;
        const auto [least, most] = blocks_.bounds(block);
        const double points = blocks_.y.points;
        row = row < least - 1.5 ? row + points : row;
        row = row > most + 1.5 ? row - points : row;
    }
    // Keeps the first rows of stencils within the block that completes them, by which particles were sorted:
    // rounding may have moved one to the next cell.
    WHORL_INLINE void keep_within(Lanes& row, int block) const {
        const auto [least, most] = blocks_.bounds(block);
        row = row < double(least) ? Lanes{} + double(least) : row;
        row = row > double(most) ? Lanes{} + double(most) : row;
    }
    // Makes places relative to the cell by which particles were sorted.
    WHORL_INLINE void move_to_cell(Lanes& t, int cell) const {
        const double points = z_.points;
        t = t - static_cast<double>(cell);
        t = t > 1.5 ? t - points : t;
        t = t < -0.5 ? t + points : t;
    }
    // GridAxis::place() for a vector.
    static WHORL_INLINE void find_places(const GridAxis& axis, const double* positions, Lanes& at) {
        std::memcpy(&at, positions, sizeof(at));
        at = at * axis.per_spacing - axis.first;
        const double box = axis.points;
        if (axis.wall) {
            at = at > -axis.first ? at : Lanes{} - axis.first;
            at = at < box - axis.first ? at : Lanes{} + (box - axis.first);
            return;
        }
        Lanes turns;
        round_down(at * axis.per_point, turns);
        at = at - box * turns;
        at = at < box ? at : Lanes{};
        at = at > 0.0 ? at : Lanes{};
    }
    static WHORL_INLINE void round_down(const Lanes& of, Lanes& to) {
        for (int i = 0; i < lanes; ++i) to[i] = std::floor(of[i]);
    }

    const GridAxis& z_;
    const RowBlocks& blocks_;
};

} // namespace whorl::particles

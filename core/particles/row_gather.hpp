// The contribution of a plane of points to the particles around it, while its rows are in the caches of a
// thread:
//
//   v_p += w_z sum over x and y of the stencil of w_x w_y c(x, y, z)
//
// The rows of a stencil are contiguous (row_blocks.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/parity.hpp"
#include "device/level.hpp"
#include "particles/layer.hpp"
#include "particles/row_blocks.hpp"

namespace whorl::particles {

// Places of particles on the grid, found for eight particles at a time in a vector: their bins, and their
// places in a layer (layer.hpp).
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
        // The first rows of stencils, wrapped around the box.
        const auto [least, most] = blocks_.bounds(block);
        const double rows = blocks_.y.points, planes = z_.points;
        Lanes row = cell_y - before;
        if (!blocks_.y.wall) {
            row = row < least - 1.5 ? row + rows : row;
            row = row > most + 1.5 ? row - rows : row;
        }
        // They stay within the block that completes them, by which particles were sorted: rounding may have
        // moved one to the next cell.
        Lanes within = row < double(least) ? Lanes{} + double(least) : row;
        within = within > double(most) ? Lanes{} + double(most) : within;
        put(in_x - cell_x, batch.t[0]);
        put(in_y - cell_y + (row - within), batch.t[1]);
        in_z = in_z - static_cast<double>(cell);
        in_z = in_z > 1.5 ? in_z - planes : in_z;
        in_z = in_z < -0.5 ? in_z + planes : in_z;
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

// Stencils have n points along an axis. The points have `constant` variables; 0: `shown` variables.
template <class Real, int n, int constant> class RowGather {
    static constexpr int width = n <= 4 ? 4 : 8; // of a vector of rows
    template <class T, int lanes>
    using VectorOf = typename device::VectorOf<T, lanes* static_cast<int>(sizeof(T))>::type;

  public:
    // `data` contains the executor's blocks.
    struct Of {
        const Interpolation& interpolation;
        const RowBlocks& blocks;
        const Real* data;
        const Parity* parities;
        int shown, sums; // variables that points have, and the length of a particle's sums
        // The plane is number l of the stencils of a layer's particles; if `flat`, it is the only plane.
        int l;
        bool flat, reflected;
    };
    explicit RowGather(const Of& of) : of_(of) {
        for (int v = 0; v < 3; ++v) signs_[v] = v < of.shown && of.reflected && of.parities[v].z ? -1.0 : 1.0;
    }

    // Adds to the sums of the first `count` particles of a batch.
    WHORL_INLINE void add(LayerBatch& batch, int part, int count) const {
        const Weights weights(of_, batch);
        double* to = batch.sums(part, of_.sums);
        for (int i = 0; i < count; ++i, to += of_.sums) {
            Vector of_rows{};
            for (int j = 0; j < n; ++j) of_rows[j] = weights.y[j][i];
            const Real* const rows = of_.data + batch.at[i];
            const auto find_sum = [&](int v, Vector& sum) WHORL_INSIDE {
                sum_along_x(rows + v * of_.blocks.variable(), weights, i, sum);
                sum *= of_rows;
            };
            add_sums(to, find_sum);
        }
    }

  private:
    using Vector = VectorOf<double, width>;
    using Four = VectorOf<double, 4>; // along x, y, z and none
    static constexpr int lanes = LayerBatch::lanes;
    using Lanes = LayerPlaces::Lanes;
    struct Weights { // of the particles of a batch; those of y contain that of z
        alignas(64) double x[n][lanes], y[n][lanes];

        WHORL_INLINE Weights(const Of& of, const LayerBatch& batch) {
            Lanes t, w[n], along_z[n];
            std::memcpy(&t, batch.t[0], sizeof(t));
            of.interpolation.template weights<n>(t, w);
            std::memcpy(x, w, sizeof(w));
            std::memcpy(&t, batch.t[1], sizeof(t));
            of.interpolation.template weights<n>(t, w);
            if (!of.flat) {
                std::memcpy(&t, batch.t[2], sizeof(t));
                of.interpolation.template weights<n>(t, along_z);
                for (int j = 0; j < n; ++j) w[j] *= along_z[of.l];
            }
            std::memcpy(y, w, sizeof(w));
        }
    };

    int shown() const { return constant > 0 ? constant : of_.shown; }

    // Vectors are passed by reference: a level whose registers are narrower has no ABI for them. find_sum(v,
    // sum) finds the sums of rows. Their total has no factor but a sign and is rounded before it is added, so
    // the order of two planes does not matter.
    template <class FindSum> WHORL_INLINE void add_sums(double* to, const FindSum& find_sum) const {
        Vector a{}, b{}, c{};
        Four all, sums;
        if constexpr (constant == 3) {
            find_sum(0, a);
            find_sum(1, b);
            find_sum(2, c);
            add_up(a, b, c, all);
            std::memcpy(&sums, to, sizeof(sums));
            sums += signs_ * all;
            std::memcpy(to, &sums, sizeof(sums));
        } else {
            for (int v = 0; v < shown(); ++v) {
                find_sum(v, a);
                add_up(a, b, c, all);
                add(v, all[0], to);
            }
        }
    }
    void add(int v, double sum, double* to) const {
        to[v] += of_.reflected && of_.parities[v].z ? -sum : sum;
    }
    WHORL_INLINE void sum_along_x(const Real* rows, const Weights& weights, int i, Vector& sum) const {
        const std::int64_t column = of_.blocks.height;
        Vector odd, row;
        load(rows, row);
        sum = weights.x[0][i] * row;
        load(rows + column, row);
        odd = weights.x[1][i] * row;
        for (int j = 2; j < n; j += 2) {
            load(rows + j * column, row);
            sum += weights.x[j][i] * row;
            load(rows + (j + 1) * column, row);
            odd += weights.x[j + 1][i] * row;
        }
        sum += odd;
    }
    static WHORL_INLINE void load(const Real* from, Vector& to) {
        VectorOf<Real, width> loaded;
        std::memcpy(&loaded, from, sizeof(loaded));
        to = __builtin_convertvector(loaded, Vector);
    }
    static WHORL_INLINE void halve(const Vector& v, Four& to) {
        if constexpr (width == 4)
            to = v;
        else
            to = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
    }
    // The totals of three vectors.
    static WHORL_INLINE void add_up(const Vector& of_a, const Vector& of_b, const Vector& of_c, Four& all) {
        Four a, b, c;
        halve(of_a, a);
        halve(of_b, b);
        halve(of_c, c);
        const Four ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
        const Four cc = __builtin_shufflevector(c, c, 0, 4, 2, 6) + __builtin_shufflevector(c, c, 1, 5, 3, 7);
        all = __builtin_shufflevector(ab, cc, 0, 1, 4, 5) + __builtin_shufflevector(ab, cc, 2, 3, 6, 7);
    }
    const Of& of_;
    Four signs_{1.0, 1.0, 1.0, 1.0};
};

} // namespace whorl::particles

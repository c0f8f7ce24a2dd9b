// What a plane of points gives to the particles around it, while its rows are in the caches of a thread:
//
//   v_p += w_z sum over x and y of the stencil of w_x w_y c(x, y, z)
//
// Rows lie side by side as they come, [variable][x][row of a block], a few blocks at a time.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/parity.hpp"
#include "device/level.hpp"
#include "particles/row_blocks.hpp"

namespace whorl::particles {

// n points of stencils; the number of variables that the points have is a constant, or it is that given (0).
template <class Real, int n, int constant> class RowGather {
    static constexpr int width = n <= 4 ? 4 : 8; // of the vectors of rows
    template <class T, int lanes>
    using VectorOf = typename device::VectorOf<T, lanes* static_cast<int>(sizeof(T))>::type;
    using Vector = VectorOf<double, width>;
    using Four = VectorOf<double, 4>; // along x, y, z and none

  public:
    // The axes are those of the points' grid; `data` has the slots of the executor.
    struct Of {
        const Interpolation& interpolation;
        const std::array<GridAxis, 3>& axes;
        const RowBlocks& blocks;
        const Real* data;
        const Parity* parities;
        int shown, variables; // those that points have, and those of sums
        const double* own;    // positions [particle][axis]
        const double* guests; // of the particles behind `own_count`
        std::uint32_t own_count;
        double* sums; // [particle][variable], of the part that the plane adds to
        // The plane is that of number l in the stencils of particles of a row of cells.
        int cell, l;
        bool reflected;
    };
    explicit RowGather(const Of& of) : of_(of) {
        for (int v = 0; v < 3; ++v) signs_[v] = v < of.shown && of.reflected && of.parities[v].z ? -1.0 : 1.0;
    }

    // Of particles whose stencils are complete with the block of that number.
    void add(const std::uint32_t* begin, const std::uint32_t* end, int last_block) const {
        Batch batch;
        for (const std::uint32_t* p = begin; p < end; p += lanes) {
            const int count = std::min<int>(lanes, static_cast<int>(end - p));
            find(p, count, last_block, batch);
            for (int i = 0; i < count; ++i) add(p[i], last_block, batch, i);
        }
    }

  private:
    static constexpr int lanes = 8;
    using Lanes = VectorOf<double, lanes>;
    // Some particles: their weights, and where in a block their stencils begin; -1: apart.
    struct Batch {
        alignas(64) double places[3][lanes];
        alignas(64) double wx[n][lanes], wy[n][lanes], wz[lanes], x0[lanes], y0[lanes], at[lanes];
    };
    struct Segment { // rows of one block
        const Real* rows;
        Vector weights;
    };

    const double* position(std::uint32_t particle) const {
        return particle < of_.own_count ? of_.own + 3 * std::size_t{particle}
                                        : of_.guests + 3 * std::size_t{particle - of_.own_count};
    }
    double* sums(std::uint32_t particle) const {
        return of_.sums + std::size_t{particle} * static_cast<std::size_t>(of_.variables);
    }
    int shown() const { return constant > 0 ? constant : of_.shown; }
    std::int64_t column(int x) const { return 1LL * x * of_.blocks.rows; }
    std::int64_t variable() const { return column(of_.axes[0].points); }
    const Real* block(int number) const {
        return of_.data + of_.blocks.offsets[static_cast<std::size_t>(number)];
    }

    // In the cell that particles were sorted by, from which rounding may have moved them to the next.
    template <class T> WHORL_INLINE T within_cell(const T& place) const {
        const double points = of_.axes[2].points;
        T t = place - static_cast<double>(of_.cell);
        t = t > 1.5 ? t - points : t;
        return t < -0.5 ? t + points : t;
    }

    WHORL_INLINE void find(const std::uint32_t* particles, int count, int last_block, Batch& batch) const {
        for (int i = 0; i < lanes; ++i) {
            const std::uint32_t particle = particles[std::min(i, count - 1)];
            const double* const at = position(particle);
            for (int a = 0; a < 3; ++a) batch.places[a][i] = at[a];
            __builtin_prefetch(sums(particle), 1);
        }
        const auto& [x, y, z] = of_.axes;
        const Lanes in_x = places_of(x, batch.places[0]), in_y = places_of(y, batch.places[1]),
                    cell_x = floor_of(in_x), cell_y = floor_of(in_y);
        Lanes w[n];
        of_.interpolation.template weights<n>(in_x - cell_x, w);
        std::memcpy(batch.wx, w, sizeof(w));
        of_.interpolation.template weights<n>(in_y - cell_y, w);
        std::memcpy(batch.wy, w, sizeof(w));
        of_.interpolation.template weights<n>(within_cell(places_of(z, batch.places[2])), w);
        if (z.points == 1) w[of_.l] = Lanes{} + 1.0;
        std::memcpy(batch.wz, &w[of_.l], sizeof(w[0]));
        const double rows = of_.blocks.rows, y_begin = last_block * rows,
                     y_end = std::min(y_begin + rows, static_cast<double>(y.points));
        const Lanes x0 = cell_x - (n / 2 - 1.0), row = cell_y - (y_begin + n / 2 - 1.0);
        const auto beside = (x0 >= 0.0) & (x0 <= x.points - static_cast<double>(n)) & (row >= 0.0) &
                            (row <= y_end - y_begin - n) & (row <= rows - width);
        const Lanes at = beside ? x0 * rows + row : Lanes{} - 1.0;
        const Lanes y0 = row + y_begin;
        std::memcpy(batch.x0, &x0, sizeof(x0));
        std::memcpy(batch.y0, &y0, sizeof(y0));
        std::memcpy(batch.at, &at, sizeof(at));
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
        Lanes place = at - box * floor_of(at * axis.per_point);
        place = place < 0.0 ? place + box : place;
        return place < box ? place : Lanes{};
    }
    static WHORL_INLINE Lanes floor_of(const Lanes& of) {
        Lanes result;
        for (int i = 0; i < lanes; ++i) result[i] = std::floor(of[i]);
        return result;
    }
    WHORL_INLINE void add(std::uint32_t particle, int last_block, const Batch& batch, int i) const {
        double wx[n];
        Vector weights{}; // of rows, in this plane
        for (int j = 0; j < n; ++j) {
            wx[j] = batch.wx[j][i];
            weights[j] = batch.wy[j][i];
        }
        weights *= batch.wz[i];
        if (batch.at[i] < 0.0) return add_apart(particle, batch, i, wx, weights);
        const Real* const rows = block(last_block) + static_cast<std::int64_t>(batch.at[i]);
        const auto at = [&](int j) { return column(j); };
        add_sums(particle, [&](int v) { return weights * sum_along_x(rows + v * variable(), at, wx); });
    }
    // Around the box, or in two blocks.
    [[gnu::noinline]] void add_apart(std::uint32_t particle, const Batch& batch, int i, const double* wx,
                                     const Vector& weights) const {
        const GridAxis& x = of_.axes[0];
        const int points = x.points, x0 = static_cast<int>(batch.x0[i]);
        const bool reflected = x.wall && (x0 < 0 || x0 + n > points);
        Segment segments[2] = {};
        const int count =
            reflected || points < n ? 0 : segments_of(static_cast<int>(batch.y0[i]), weights, segments);
        if (count == 0) return add_anywhere(particle);
        const auto at = [&](int j) {
            const int number = x0 + j;
            return column(number < 0 ? number + points : number < points ? number : number - points);
        };
        add_sums(particle, [&](int v) {
            Vector sum = segments[0].weights * sum_along_x(segments[0].rows + v * variable(), at, wx);
            if (count == 2)
                sum += segments[1].weights * sum_along_x(segments[1].rows + v * variable(), at, wx);
            return sum;
        });
    }
    // sum_of(v) has the shares of rows. Nothing but a sign is a factor of their sum, which is rounded before
    // it is added, so that the order of two planes makes no difference.
    template <class SumOf> WHORL_INLINE void add_sums(std::uint32_t particle, const SumOf& sum_of) const {
        double* const to = sums(particle);
        if constexpr (constant == 3) {
            const Four values = signs_ * totals(sum_of(0), sum_of(1), sum_of(2));
            for (int v = 0; v < 3; ++v) to[v] += values[v];
        } else {
            for (int v = 0; v < shown(); ++v) add(v, totals(sum_of(v), Vector{}, Vector{})[0], to);
        }
    }
    void add(int v, double sum, double* to) const {
        to[v] += of_.reflected && of_.parities[v].z ? -sum : sum;
    }
    template <class At>
    static WHORL_INLINE Vector sum_along_x(const Real* rows, const At& at, const double* wx) {
        Vector even = wx[0] * load(rows + at(0)), odd = wx[1] * load(rows + at(1));
        for (int i = 2; i < n; i += 2) {
            even += wx[i] * load(rows + at(i));
            odd += wx[i + 1] * load(rows + at(i + 1));
        }
        return even + odd;
    }
    static WHORL_INLINE Vector load(const Real* from) {
        VectorOf<Real, width> loaded;
        std::memcpy(&loaded, from, sizeof(loaded));
        return __builtin_convertvector(loaded, Vector);
    }
    static WHORL_INLINE Four four_of(const Vector& v) {
        if constexpr (width == 4)
            return v;
        else
            return __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
    }
    // The totals of three vectors.
    static WHORL_INLINE Four totals(const Vector& of_a, const Vector& of_b, const Vector& of_c) {
        const Four a = four_of(of_a), b = four_of(of_b), c = four_of(of_c);
        const Four ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
        const Four cc = __builtin_shufflevector(c, c, 0, 4, 2, 6) + __builtin_shufflevector(c, c, 1, 5, 3, 7);
        return __builtin_shufflevector(ab, cc, 0, 1, 4, 5) + __builtin_shufflevector(ab, cc, 2, 3, 6, 7);
    }
    // The elements from a number on, of which `count` are taken, from element `to` on; the others are zero.
    static WHORL_INLINE Vector moved(const Vector& from, int number, int count, int to) {
        using Index = VectorOf<std::int64_t, width>;
        Index lane;
        for (int i = 0; i < width; ++i) lane[i] = i;
        const Index source = lane - static_cast<std::int64_t>(to - number);
        const Index is_taken =
            (lane >= static_cast<std::int64_t>(to)) & (lane < static_cast<std::int64_t>(to + count));
        return is_taken ? __builtin_shuffle(from, source) : Vector{};
    }

    // The rows y0, ... with their weights as those of one or two blocks; 0: they are not.
    WHORL_INLINE int segments_of(int y0, const Vector& w, Segment* segments) const {
        const RowBlocks& blocks = of_.blocks;
        const GridAxis& y = of_.axes[1];
        if (blocks.rows < width) return 0;
        int first = blocks.of(y0), row = y0 - first * blocks.rows;
        if (y0 >= 0 && row + width <= blocks.rows && y0 + n <= y.points) {
            segments[0] = {block(first) + row, w};
            return 1;
        }
        int second = first + 1, in_first = std::min(blocks.rows - row, n);
        if (y0 < 0 || y0 + n > y.points) {
            if (y.wall || y.points < n) return 0;
            first = blocks.count - 1;
            second = 0;
            in_first = y0 < 0 ? -y0 : y.points - y0;
            row = y.points - first * blocks.rows - in_first;
            if (row < 0) return 0;
        }
        const int begin = std::min(row, blocks.rows - width);
        segments[0] = {block(first) + begin, moved(w, 0, in_first, row - begin)};
        if (in_first == n) return 1;
        segments[1] = {block(second), moved(w, in_first, n - in_first, 0)};
        return 2;
    }

    // With reflections at walls, and wherever the rows are.
    [[gnu::noinline]] void add_anywhere(std::uint32_t particle) const {
        const double* const at = position(particle);
        const Stencil x(of_.axes[0], of_.interpolation, of_.axes[0].place(at[0])),
            y(of_.axes[1], of_.interpolation, of_.axes[1].place(at[1]));
        const double t = within_cell(of_.axes[2].place(at[2]));
        double along_z[Interpolation::most] = {1.0};
        if (of_.axes[2].points > 1) of_.interpolation.weights(t, along_z);
        const double wz = along_z[of_.l];
        double* const to = sums(particle);
        for (int v = 0; v < shown(); ++v) {
            const Parity odd = of_.parities[v];
            double sum = 0.0;
            for (int j = 0; j < y.count; ++j) {
                const int b = of_.blocks.of(y.at[j]), row = y.at[j] - b * of_.blocks.rows;
                const Real* const rows = block(b) + v * variable() + row;
                double of_row = 0.0;
                for (int i = 0; i < x.count; ++i)
                    of_row += x.weight(i, odd.x) * static_cast<double>(rows[column(x.at[i])]);
                sum += wz * y.weight(j, odd.y) * of_row;
            }
            add(v, sum, to);
        }
    }

    const Of& of_;
    Four signs_{1.0, 1.0, 1.0, 1.0};
};

} // namespace whorl::particles

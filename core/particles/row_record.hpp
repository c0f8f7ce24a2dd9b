// The rows that a thread keeps of a plane (row_blocks.hpp).
#pragma once

#include <cstring>

#include "base/parity.hpp"
#include "device/level.hpp"
#include "device/rows.hpp"
#include "particles/row_blocks.hpp"

namespace whorl::particles {

template <class Real> class RowRecord {
    static constexpr int lanes = device::vector_bytes / static_cast<int>(sizeof(Real));
    using Vector = typename device::VectorOf<Real, device::vector_bytes>::type;

  public:
    static constexpr int rows_of_vector = lanes;
    // The size for an executor: whole cache lines, with room for vectors of rows that end beyond a stencil.
    static std::int64_t numbers(const RowBlocks& blocks, int variables) {
        constexpr std::int64_t beyond = 16;
        const std::int64_t all = variables * blocks.numbers() + beyond;
        return (all + beyond - 1) / beyond * beyond;
    }

    RowRecord(const RowBlocks& blocks, const Parity* parities, int variables, Real* data)
        : blocks_(blocks), parities_(parities), variables_(variables), data_(data),
          first_rows_(data + variables * blocks.variable()) {}

    // Copies the points of rows from y on.
    void take(const device::RowPoints<Real>& points, int y);
    // Fills the margins and reflections of a block after all its points were copied.
    void complete(int block);
    // Fills the rows beyond the last one after the last block of the plane is complete.
    void go_beyond();

  private:
    Real* column_of(int v, int x) const { return data_ + v * blocks_.variable() + blocks_.column(x); }
    Real* first_rows_of(int v, int x) const {
        return first_rows_ + (1LL * v * blocks_.columns() + x + blocks_.margin) * blocks_.edge;
    }
    static void copy(const Real* from, Real* to, int rows, bool negative) {
        for (int r = 0; r < rows; ++r) to[r] = negative ? -from[r] : from[r];
    }
    // Copies vectors of rows to the columns of some x, `step` apart.
    template <int vectors>
    static WHORL_INLINE void copy_each(const Real* from, Real* to, const int* x, int step, int count) {
        for (int i = 0; i < count; ++i)
            std::memcpy(to + x[i] * step, from + 2LL * i * lanes, vectors * sizeof(Vector));
    }
    template <class F> void each_column(const F& f) const {
        for (int v = 0; v < variables_; ++v)
            for (int x = -blocks_.margin; x < blocks_.x.points + blocks_.margin; ++x)
                f(column_of(v, x), first_rows_of(v, x), parities_[v].y);
    }

    const RowBlocks& blocks_;
    const Parity* parities_;
    int variables_;
    Real *data_, *first_rows_; // the plane's first rows: [variable][column][row]
};

template <class Real> void RowRecord<Real>::take(const device::RowPoints<Real>& points, int y) {
    constexpr int most = 64;
    int x[most];
    const int place = blocks_.place(y);
    for (int begin = 0; begin < points.points; begin += most) {
        const int count = std::min(most, points.points - begin);
        for (int i = 0; i < count; ++i) x[i] = points.x(begin + i);
        for (int v = 0; v < variables_; ++v) {
            const Real* const rows = points.data + v * points.stride + 1LL * begin * points.rows;
            Real* const columns = column_of(v, 0);
            copy_each<2>(rows, columns + place, x, blocks_.height, count);
            for (int r = 0; r < 2 * lanes; r += lanes) {
                if (place + r < blocks_.edge)
                    copy_each<1>(rows + r, columns + blocks_.ring + place + r, x, blocks_.height, count);
            }
        }
    }
}

template <class Real> void RowRecord<Real>::complete(int block) {
    const int place = blocks_.place(block * blocks_.rows);
    const auto copy_column = [&](int v, int x) {
        bool reflected = false;
        const int from = blocks_.x.folded(x, reflected);
        const bool negative = reflected && parities_[v].x;
        copy(column_of(v, from) + place, column_of(v, x) + place, blocks_.rows, negative);
        if (place < blocks_.edge)
            copy(column_of(v, from) + blocks_.ring, column_of(v, x) + blocks_.ring, blocks_.edge, negative);
    };
    for (int v = 0; v < variables_; ++v)
        for (int j = 0; j < blocks_.margin; ++j) {
            copy_column(v, -1 - j);
            copy_column(v, blocks_.x.points + j);
        }
    if (blocks_.begin(block) < blocks_.edge)
        each_column([&](const Real* column, Real* first_rows, bool) {
            for (int y = blocks_.begin(block); y < std::min(blocks_.end(block), blocks_.edge); ++y)
                first_rows[y] = column[blocks_.place(y)];
        });
    if (block > 0 || !blocks_.y.wall) return;
    each_column([&](Real* column, const Real*, bool odd) {
        for (int y = -blocks_.stencil / 2; y < 0; ++y) {
            bool reflected = false;
            const Real value = column[blocks_.y.folded(y, reflected)];
            column[blocks_.place(y)] = reflected && odd ? -value : value;
        }
    });
}

// A row beyond the last one is stored where the round of the last row continues. A second copy is as far
// after the ring, for stencils that begin in the previous round.
template <class Real> void RowRecord<Real>::go_beyond() {
    const GridAxis& y_axis = blocks_.y;
    const int points = y_axis.points, most = blocks_.stencil - 1, behind = blocks_.place(points - 1) + 1;
    const bool few = blocks_.few(), again = few || (behind < most && points > behind),
               periodic = !few && !y_axis.wall;
    each_column([&](Real* column, const Real* first_rows, bool odd) {
        const auto value = [&](int y) {
            bool reflected = false;
            const int from = y_axis.folded(y, reflected);
            const Real of_row = few || !reflected ? first_rows[from] : column[blocks_.place(from)];
            return reflected && odd ? -of_row : of_row;
        };
        if (few)
            for (int y = -blocks_.stencil / 2; y < points; ++y) column[blocks_.ring + y] = value(y);
        if (periodic) copy(first_rows, column + behind, blocks_.edge, false);
        for (int y = points; y < points + most && (again || !periodic); ++y) {
            column[behind + y - points] = value(y);
            if (again) column[blocks_.ring + behind + y - points] = value(y);
        }
    });
}

} // namespace whorl::particles

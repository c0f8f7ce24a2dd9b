// Lines of a device with streams: Fourier lines side by side in blocks of threads (block_lines.hpp), others
// by the complex transforms of a library, in place, and what comes before and behind them where lines are
// sums of cosines or sines (definitions: lines.hpp; formulas: wall_lines.hpp),
//   forward   V = forward transform of v,  C_k = w_k* V_k + w_k V_{n-k}
//   backward  V_k = w_k (C_k - i C_{n-k}), C_n = 0,  v = backward transform of V
// with v_j = x_{2j}, v_{n-1-j} = x_{2j+1} and w_k = exp(i pi k / 2n); S_k = C_{n-k} for the cosine line of
// (-1)^j x_j. These go through scratch: the points are not in their places while they are folded.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>

#include "base/error.hpp"
#include "device/block_lines.hpp"
#include "device/buffer.hpp"
#include "device/lines.hpp"
#include "device/rows.hpp"

namespace whorl::device {

// Element j of line l at data[j * stride + l * distance].
template <class Real> struct LinePlaces {
    Complex<Real>* data;
    std::int64_t stride, distance;
    WHORL_INLINE Complex<Real>& at(int j, std::int64_t l) const { return data[j * stride + l * distance]; }
};

// Rows are as elements lie: those of one place in all lines, or those of one line.
struct LineRows {
    int n;
    std::int64_t howmany;
    bool side_by_side;
    std::int64_t rows() const { return side_by_side ? n : howmany; }
    WHORL_INLINE std::int64_t length() const { return side_by_side ? howmany : n; }
    WHORL_INLINE int place(std::int64_t row, std::int64_t i) const {
        return static_cast<int>(side_by_side ? row : i);
    }
    WHORL_INLINE std::int64_t line(std::int64_t row, std::int64_t i) const { return side_by_side ? i : row; }
};

// Calls of(place, line) for every element of lines.
template <class Of> struct EachElement {
    LineRows lines;
    Of of;

    struct RowOf {
        const EachElement& each;
        std::int64_t row, length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            each.of(each.lines.place(row, i), each.lines.line(row, i));
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const { return {*this, r, lines.length()}; }
};

template <class Real> struct ZeroDropped {
    LinePlaces<Real> data;
    Dropped dropped;
    WHORL_INLINE void operator()(int j, std::int64_t l) const { data.at(dropped.first + j, l) = {0, 0}; }
};

// V from the modes of a line.
template <class Real> struct FoldModes {
    LinePlaces<Real> modes, v;
    const Complex<Real>* turns; // w_k
    int n;
    Dropped dropped;
    Basis basis;

    WHORL_INLINE Complex<Real> cosine_mode(int k, std::int64_t l) const {
        const int of = basis == Basis::cosine ? k : n - k;
        if (of == n || dropped.has(of)) return {0, 0};
        const Complex<Real> value = modes.at(of, l);
        return basis == Basis::odd ? times_i(value) : value;
    }
    WHORL_INLINE void operator()(int k, std::int64_t l) const {
        const Complex<Real> c = cosine_mode(k, l);
        v.at(k, l) = k == 0 ? c : turns[k] * (c - times_i(cosine_mode(n - k, l)));
    }
};

// The modes of a line from its V.
template <class Real> struct FinishModes {
    LinePlaces<Real> v, modes;
    const Complex<Real>* turns;
    int n;
    Dropped dropped;
    Basis basis;

    WHORL_INLINE void operator()(int j, std::int64_t l) const {
        if (dropped.has(j)) return;
        const int k = basis == Basis::cosine ? j : n - j;
        if (k == n) {
            modes.at(j, l) = {0, 0};
            return;
        }
        const Complex<Real> w = turns[k];
        const Complex<Real> c = conjugate(w) * v.at(k, l) + w * v.at(k == 0 ? 0 : n - k, l);
        modes.at(j, l) = basis == Basis::odd ? times_minus_i(c) : c;
    }
};

// Points <-> v.
template <class Real, bool to_v> struct FoldPoints {
    LinePlaces<Real> points, v;
    int n;
    bool cosine;

    WHORL_INLINE void operator()(int j, std::int64_t l) const {
        const Real sign = !cosine && 2 * j >= n ? Real(-1) : Real(1);
        if constexpr (to_v)
            v.at(j, l) = sign * points.at(unfolded(j, n), l);
        else
            points.at(unfolded(j, n), l) = sign * v.at(j, l);
    }
};

// Ends of a LineProgram that reads and writes the same places, none of those dropped.
template <class Real, Direction direction> struct LinesInPlace {
    Complex<Real>* data;
    std::int64_t stride;
    int howmany;     // of a variable
    Dropped dropped; // modes
    std::int64_t variable_stride;
    static constexpr int variables = 1; // of a block

    struct Of {
        Complex<Real>* data;
        std::int64_t stride;
        Dropped dropped_in, dropped_out;
        WHORL_INLINE void get(int j, int lane, Complex<Real>* value) const {
            *value = dropped_in.has(j) ? Complex<Real>{0, 0} : data[j * stride + lane];
        }
        WHORL_INLINE void set(int j, int lane, const Complex<Real>* value) const {
            if (!dropped_out.has(j)) data[j * stride + lane] = *value;
        }
    };
    WHORL_INLINE int lanes() const { return howmany; }
    WHORL_INLINE Of of(int v, int first) const {
        constexpr bool inverse = direction == Direction::backward;
        return {data + v * variable_stride + first, stride, inverse ? dropped : Dropped{},
                inverse ? Dropped{} : dropped};
    }
};

// Plan: made of a LineShape and a Direction; its execute(stream, data) transforms in place.
template <class Plan, class Memory, class Real> class StreamLines {
  public:
    // In blocks of so much memory where they are whorl's own, fit, and lie side by side.
    StreamLines(LineKind kind, LineShape shape, Direction direction, std::int64_t block_memory)
        : shape_(shape), direction_(direction), block_memory_(block_memory) {
        WHORL_REQUIRE(kind == LineKind::own || kind == LineKind::library || shape.n == 1,
                      "a GPU has whorl's own lines and its library's: choose lines = \"own\" or \"fftw\".");
        if (shape.n == 1) return;
        if (kind == LineKind::own && shape.distance == 1 && !folded() &&
            lanes_of_block<Real>(shape.n, block_memory) > 0) {
            tables_ = std::make_unique<LineTables<Memory, Real>>(shape.n);
            return;
        }
        plan_ = Plan::make(folded() ? folded_shape() : complex_shape(), direction);
        if (!folded()) return;
        std::vector<Complex<Real>> turns;
        for (int k = 0; k < shape.n; ++k) {
            const double angle = std::numbers::pi * k / (2.0 * shape.n);
            turns.push_back({static_cast<Real>(std::cos(angle)), static_cast<Real>(std::sin(angle))});
        }
        turns_ = copied<Complex<Real>, Memory>(turns);
    }

    // Complex numbers of scratch that lines of this shape want.
    static std::int64_t scratch(const LineShape& shape) {
        return shape.basis == Basis::fourier ? 0 : 1LL * shape.n * shape.howmany;
    }
    const Plan* plan() const { return plan_.get(); }

    // How many lines of each of so many variables a block takes; 0: they do not fit, or are the library's.
    int lanes(int variables = 1) const {
        return tables_ ? lanes_of_block<Real>(std::int64_t{shape_.n} * variables, block_memory_) : 0;
    }
    // The program that transforms lines with these Ends, and the bytes of memory of its blocks.
    template <Direction direction, class Ends>
    LineProgram<Real, Ends, direction> program(const Ends& ends) const {
        return {ends, tables_->plan(), lanes(Ends::variables)};
    }
    std::int64_t program_bytes(int variables = 1) const {
        return std::int64_t{shape_.n} * variables * lanes(variables) *
               static_cast<std::int64_t>(sizeof(Complex<Real>));
    }

    // f of the Ends of lines in place, those of a variable one `stride` behind those of the one before.
    template <class F> void with_ends(Complex<Real>* data, std::int64_t stride, const F& f) const {
        const auto call = [&]<Direction direction>() {
            f(LinesInPlace<Real, direction>{data, shape_.stride, shape_.howmany, shape_.dropped(), stride});
        };
        if (direction_ == Direction::backward)
            call.template operator()<Direction::backward>();
        else
            call.template operator()<Direction::forward>();
    }

    // The library's: run(rows, kernel) and transform(plan, data) enqueue, in order.
    template <class Run, class Transform>
    void execute(Complex<Real>* data, Complex<Real>* scratch, const Run& run,
                 const Transform& transform) const {
        if (!plan_) return;
        const LinePlaces<Real> of{data, shape_.stride, shape_.distance};
        const Dropped dropped = shape_.dropped();
        const auto each = [&](int n, const auto& kernel) {
            const EachElement<std::decay_t<decltype(kernel)>> all{{n, shape_.howmany, shape_.distance == 1},
                                                                  kernel};
            run(all.lines.rows(), all);
        };
        if (!folded()) {
            if (direction_ == Direction::backward && dropped.count > 0)
                each(dropped.count, ZeroDropped<Real>{of, dropped});
            return transform(*plan_, data);
        }
        const LineShape inside = folded_shape();
        const LinePlaces<Real> v{scratch, inside.stride, inside.distance};
        const bool cosine = shape_.basis == Basis::cosine;
        if (direction_ == Direction::backward) {
            each(shape_.n, FoldModes<Real>{of, v, turns_.data(), shape_.n, dropped, shape_.basis});
            transform(*plan_, scratch);
            each(shape_.n, FoldPoints<Real, false>{of, v, shape_.n, cosine});
        } else {
            each(shape_.n, FoldPoints<Real, true>{of, v, shape_.n, cosine});
            transform(*plan_, scratch);
            each(shape_.n, FinishModes<Real>{v, of, turns_.data(), shape_.n, dropped, shape_.basis});
        }
    }

  private:
    bool folded() const { return shape_.basis != Basis::fourier; }
    LineShape complex_shape() const {
        LineShape shape = shape_;
        shape.kept = 0;
        return shape;
    }
    LineShape folded_shape() const {
        if (shape_.distance == 1) return {shape_.n, shape_.howmany, shape_.howmany, 1};
        return {shape_.n, shape_.howmany, 1, shape_.n};
    }
    LineShape shape_;
    Direction direction_;
    std::int64_t block_memory_;
    std::unique_ptr<LineTables<Memory, Real>> tables_;
    std::unique_ptr<Plan> plan_;
    Buffer<Complex<Real>, Memory> turns_;
};

} // namespace whorl::device

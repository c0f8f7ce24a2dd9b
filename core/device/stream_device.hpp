// The members that all devices with streams share.
#pragma once

#include <memory>

#include "base/error.hpp"
#include "device/block_plan.hpp"
#include "device/buffer.hpp"
#include "device/compiled.hpp"
#include "device/fold.hpp"
#include "device/line_plan.hpp"

namespace whorl::device {

// Lines on a GPU: Fourier lines side by side in blocks of threads (block_plan.hpp), others by the complex
// transforms of a library, in place. Cosine and sine lines are folded before and after (fold.hpp), through
// scratch memory, since folding reorders the points.

// Element j of line l at data[j * stride + l * distance].
template <class Real> struct StridedLines {
    Complex<Real>* data;
    std::int64_t stride, distance;
    WHORL_INLINE Complex<Real>& at(int j, std::int64_t l) const { return data[j * stride + l * distance]; }
};

// Rows follow the memory: one element of all lines, or all elements of one line.
struct LineRows {
    int n;
    std::int64_t howmany;
    bool side_by_side;
    std::int64_t rows() const { return side_by_side ? n : howmany; }
    WHORL_INLINE std::int64_t length() const { return side_by_side ? howmany : n; }
    WHORL_INLINE int element(std::int64_t row, std::int64_t i) const {
        return static_cast<int>(side_by_side ? row : i);
    }
    WHORL_INLINE std::int64_t line(std::int64_t row, std::int64_t i) const { return side_by_side ? i : row; }
};

// Calls of(element, line) for every element of lines.
template <class Of> struct EachElement {
    LineRows lines;
    Of of;

    struct RowOf {
        const EachElement& each;
        std::int64_t row, length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            each.of(each.lines.element(row, i), each.lines.line(row, i));
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const { return {*this, r, lines.length()}; }
};

template <class Real> struct ZeroDropped {
    StridedLines<Real> data;
    Dropped dropped;
    WHORL_INLINE void operator()(int j, std::int64_t l) const { data.at(dropped.first + j, l) = {0, 0}; }
};

// One line as fold.hpp takes it, with real and imaginary parts swapped where `swapped`.
template <class Real, bool swapped> struct OneLine {
    using Value = Complex<Real>;
    StridedLines<Real> lines;
    std::int64_t l;

    WHORL_INLINE Value get(int j) const { return as_there(lines.at(j, l)); }
    WHORL_INLINE void set(int j, const Value& value) const { lines.at(j, l) = as_there(value); }
    static WHORL_INLINE Value as_there(const Value& a) { return swapped ? Value{a.im, a.re} : a; }
};

// Modes of lines <-> their V, a pair of modes at a time.
template <class Real, bool to_v> struct FoldModes {
    StridedLines<Real> modes, v;
    Fold<Real> fold;

    WHORL_INLINE void operator()(int k, std::int64_t l) const {
        if constexpr (to_v)
            fold.begin(k, OneLine<Real, true>{modes, l}, OneLine<Real, true>{v, l});
        else
            fold.finish(k, OneLine<Real, false>{v, l}, OneLine<Real, false>{modes, l});
    }
};

// Points <-> v.
template <class Real, bool to_v> struct FoldPoints {
    StridedLines<Real> points, v;
    int n;
    bool sine;

    WHORL_INLINE void operator()(int j, std::int64_t l) const {
        const FoldedPoints<OneLine<Real, false>> folded{{points, l}, n, sine};
        if constexpr (to_v)
            v.at(j, l) = folded.get(j);
        else
            folded.set(j, v.at(j, l));
    }
};

// Ends of a LineProgram in place, which neither reads nor writes dropped modes.
template <class Real, Direction direction> struct LinesInPlace {
    Complex<Real>* data;
    std::int64_t stride;
    int howmany;
    Dropped dropped;                    // modes
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
    WHORL_INLINE Of of(int, int first) const {
        constexpr bool inverse = direction == Direction::backward;
        return {data + first, stride, inverse ? dropped : Dropped{}, inverse ? Dropped{} : dropped};
    }
};

// LibraryPlan::make(shape, direction) makes a plan of the device's library, in place.
template <class LibraryPlan, class Memory, class Real> class StreamPlan {
  public:
    // Whorl's own lines are transformed in blocks with this room where they fit and lie side by side.
    StreamPlan(LineKind kind, LineShape shape, Direction direction, const BlockRoom& room)
        : shape_(shape), direction_(direction), room_(room) {
        WHORL_REQUIRE(kind == LineKind::own || kind == LineKind::library || shape.n == 1,
                      "a GPU has whorl's own lines and its library's: choose lines = \"own\" or \"fftw\".");
        if (shape.n == 1) return;
        if (kind == LineKind::own && shape.distance == 1 && !folded() &&
            block_of_lines<Real>(shape.n, 1, room).lanes > 0) {
            tables_ = std::make_unique<BlockTables<Memory, Real>>(shape.n);
            return;
        }
        plan_ = LibraryPlan::make(folded() ? folded_shape() : complex_shape(), direction);
        if (!folded()) return;
        twiddles_ = copied<Real, Memory>(fold_twiddles<Real>(shape.n));
    }

    // Complex numbers of scratch memory that lines of this shape need.
    static std::int64_t scratch(const LineShape& shape) {
        return !traits_of(shape.basis).walled ? 0 : 1LL * shape.n * shape.howmany;
    }
    const LibraryPlan* plan() const { return plan_.get(); }
    int points() const { return shape_.n; }

    // The block of lines with these variables, without lanes if they do not fit or the library transforms
    // them.
    BlockOfLines block(int variables = 1) const {
        return tables_ ? block_of_lines<Real>(shape_.n, variables, room_) : BlockOfLines{};
    }
    // The program that transforms lines with these Ends.
    template <Direction direction, class Ends>
    LineProgram<Real, Ends, direction> program(const Ends& ends) const {
        return {ends, tables_->plan(), block(Ends::variables)};
    }

    // Calls f with the Ends of lines in place.
    template <class F> void with_ends(Complex<Real>* data, const F& f) const {
        const auto call = [&]<Direction direction>() {
            f(LinesInPlace<Real, direction>{data, shape_.stride, shape_.howmany, shape_.dropped()});
        };
        if (direction_ == Direction::backward)
            call.template operator()<Direction::backward>();
        else
            call.template operator()<Direction::forward>();
    }

    // Transforms by the library; run(rows, kernel) and transform(plan, data) enqueue, in order.
    template <class Run, class Transform>
    void execute(Complex<Real>* data, Complex<Real>* scratch, const Run& run,
                 const Transform& transform) const {
        if (!plan_) return;
        const StridedLines<Real> of{data, shape_.stride, shape_.distance};
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
        const StridedLines<Real> v{scratch, inside.stride, inside.distance};
        const auto [walled, sine, i_power] = traits_of(shape_.basis);
        const Fold<Real> fold{shape_.n, twiddles_.data(), dropped, sine, i_power};
        const int pairs = shape_.n / 2 + 1;
        if (direction_ == Direction::backward) {
            each(pairs, FoldModes<Real, true>{of, v, fold});
            transform(*plan_, scratch);
            each(shape_.n, FoldPoints<Real, false>{of, v, shape_.n, sine});
        } else {
            each(shape_.n, FoldPoints<Real, true>{of, v, shape_.n, sine});
            transform(*plan_, scratch);
            each(pairs, FoldModes<Real, false>{of, v, fold});
        }
    }

  private:
    bool folded() const { return traits_of(shape_.basis).walled; }
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
    BlockRoom room_;
    std::unique_ptr<BlockTables<Memory, Real>> tables_;
    std::unique_ptr<LibraryPlan> plan_;
    Buffer<Real, Memory> twiddles_;
};

// `Own` has each, for_each, for_blocks, block_memory, and execute(executor, plan, data), which enqueues a
// transform by its library.
template <class Own, template <class> class Library, class Of> class StreamDevice {
  public:
    using Memory = Of;
    template <class Real> using LinePlan = StreamPlan<Library<Real>, Memory, Real>;
    static constexpr bool streams = true;

    int executors() const { return stream_count; }
    // Kernels that were linked when the run began: a device that has none calls functions in its kernels.
    void use_kernels(std::uintptr_t) {}

    template <class Kernel> void over(std::int64_t rows, const Kernel& kernel) {
        own().each(1, [&](int executor, std::int64_t) { own().for_each(executor, rows, kernel); });
    }

    template <class Real>
    std::unique_ptr<LinePlan<Real>> make_plan(LineKind kind, LineShape shape, Direction direction) {
        return std::make_unique<LinePlan<Real>>(kind, shape, direction,
                                                BlockRoom{own().block_memory(), blocks_.lane_bytes});
    }
    // Frees the memory that all plans so far needed, since later plans replace them.
    void forget_plans() {}
    // Transforms lines in place, in blocks or by the library.
    template <class Real>
    void transform(int executor, const LinePlan<Real>& lines, Complex<Real>* data, Complex<Real>* scratch) {
        if (lines.block().lanes > 0)
            return lines.with_ends(data, [&]<Direction direction>(const LinesInPlace<Real, direction>& ends) {
                transform_between<direction>(executor, lines, 1, ends);
            });
        lines.execute(
            data, scratch,
            [&](std::int64_t rows, const auto& kernel) { own().for_each(executor, rows, kernel); },
            [&](const Library<Real>& plan, Complex<Real>* at) { own().execute(executor, plan, at); });
    }
    // Transforms `groups` groups of lines in blocks, with their Ends.
    template <Direction direction, class Real, class Ends>
    void transform_between(int executor, const LinePlan<Real>& lines, std::int64_t groups, const Ends& ends) {
        constexpr int variables = Ends::variables;
        const BlockOfLines block = lines.block(variables);
        own().for_blocks(executor, groups * LaneRange::blocks_of_group(ends.lanes(), block.lanes),
                         block.bytes, lines.template program<direction>(ends));
    }
    // Sets the layout of plans and work from now on. Throws Error for an impossible choice.
    void choose(const BlockChoice& blocks) {
        blocks.check();
        blocks_ = blocks;
    }

  protected:
    const BlockChoice& blocks() const { return blocks_; }

  private:
    Own& own() { return static_cast<Own&>(*this); }
    BlockChoice blocks_;
};

} // namespace whorl::device

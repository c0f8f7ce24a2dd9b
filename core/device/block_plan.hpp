// Complex lines transformed by the threads of a block in its memory: only the ends of lines read and write
// the device's memory.
//
// A program of blocks is a kernel with
//
//   void operator()(std::int64_t block, const Team& team) const
//
// on the device. Its team has
//
//   team.each(items, f)            f(i) for every item, in any order; all are done when it returns.
//   team.gather<k>(items, get, put)
//       put(i, get(i)) for every item, at least once; k items are got before the first is put, so that their
//       reads of the device's memory overlap.
//   team.raise<Kernel>(items, f)
//       f(i, measured): Kernel::maxima values >= 0 of type Kernel::Value; Device::raised() gives the largest.
//   team.memory<T>()               the block's memory, uninitialised.
//   team.add(to, value)            adds to a whole number, of 32 or 64 bits, to which others add, too.
//
// The inverse transform is by decimation in frequency, with real and imaginary parts swapped in butterflies,
// and leaves the points in the order of its steps. The forward transform is its transpose, by decimation in
// time, and begins with that order (Van Loan, Computational Frameworks for the FFT, chapter 2). Neither sorts
// the points: position s holds the point points[s].
//
// A program, and the ends of lines, may have `registers`: the registers of a thread of a GPU if it needs
// more than 80, 128 or 168.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "base/complex.hpp"
#include "base/macros.hpp"
#include "base/unrolled.hpp"
#include "device/buffer.hpp"
#include "device/butterflies.hpp"
#include "device/compiled.hpp"
#include "device/line_plan.hpp"
#include "device/radices.hpp"

namespace whorl {

// Quotients and remainders by a number that is known when a kernel is launched: on a GPU an integer division
// takes about twenty instructions, and a multiplication one.
//   x / d = floor(x m / 2^32),  m = floor((2^32 - 1) / d) + 1,  0 <= x < 2^32 / d
// (Granlund & Montgomery, Division by invariant integers using multiplication, 1994).
class Divisor {
  public:
    Divisor() = default;
    WHORL_INLINE explicit Divisor(int number)
        : number_(number), factor_(number > 1 ? 0xffffffffu / static_cast<std::uint32_t>(number) + 1 : 0) {}

    struct Parts {
        int quotient, remainder;
    };

    WHORL_INLINE int number() const { return number_; }
    WHORL_INLINE Parts divide(int x) const {
        const std::uint64_t product = std::uint64_t{static_cast<std::uint32_t>(x)} * factor_;
        const int quotient = factor_ == 0 ? x : static_cast<int>(product >> 32);
        return {quotient, x - quotient * number_};
    }

  private:
    int number_ = 1;
    std::uint32_t factor_ = 0;
};

} // namespace whorl

namespace whorl::device {

// The lanes of a block: `taken`, or fewer, of the `all` lanes of a group (a plane, a variable).
struct LaneRange {
    int group, first, count;

    static WHORL_INLINE int blocks_of_group(int all, int taken) { return (all + taken - 1) / taken; }
    static WHORL_INLINE LaneRange of(std::int64_t block, int all, int taken) {
        const int blocks = blocks_of_group(all, taken), group = static_cast<int>(block) / blocks;
        const int first = (static_cast<int>(block) - group * blocks) * taken, left = all - first;
        return {group, first, left < taken ? left : taken};
    }
};

// Butterflies on points p + m t, t < radix, of lines of m radix points; a whole line has `butterflies`.
struct RadixStep {
    int radix;
    Divisor m, butterflies;
    int twiddles; // offset of its roots of unity, [u - 1][p], exp(2 pi i p u / (m radix))
};

template <class Real> struct BlockPlan {
    static constexpr int most_steps = 16; // 3^16 points
    int n, count;
    RadixStep steps[most_steps];
    const Complex<Real>* twiddles;
    const int* points;
};

// The tables of a BlockPlan.
template <class Memory, class Real> class BlockTables {
  public:
    explicit BlockTables(int n);
    const BlockPlan<Real>& plan() const { return plan_; }

  private:
    BlockPlan<Real> plan_{};
    Buffer<Complex<Real>, Memory> twiddles_;
    Buffer<int, Memory> points_;
};

template <class Memory, class Real> BlockTables<Memory, Real>::BlockTables(int n) {
    const std::vector<int> all = radices(n, largest_radix);
    WHORL_REQUIRE(all.size() <= BlockPlan<Real>::most_steps, "a line has too many points.");
    std::vector<Complex<Real>> twiddles;
    std::vector<int> points{0};
    int m = n, spread = 1;
    for (const int radix : all) {
        m /= radix;
        plan_.steps[plan_.count++] = {radix, Divisor(m), Divisor(n / radix),
                                      static_cast<int>(twiddles.size())};
        for (int u = 1; u < radix; ++u)
            for (int p = 0; p < m; ++p) {
                const double angle = 2.0 * std::numbers::pi * p * u / (1.0 * m * radix);
                twiddles.push_back({static_cast<Real>(std::cos(angle)), static_cast<Real>(std::sin(angle))});
            }
        // Line u of this step holds the results u + radix times those of its own lines.
        std::vector<int> next;
        for (const int offset : points)
            for (int u = 0; u < radix; ++u) next.push_back(offset + spread * u);
        points = std::move(next);
        spread *= radix;
    }
    twiddles_ = copied<Complex<Real>, Memory>(twiddles);
    points_ = copied<int, Memory>(points);
    plan_.n = n;
    plan_.twiddles = twiddles_.data();
    plan_.points = points_.data();
}

// A butterfly of a step: its number in a line, and the line.
struct ButterflyOfLine {
    int butterfly, line;
};

// Lines in the memory of a block, one after the other. Points a power of two apart would share a bank of
// memory, so one number is left out after every sixteen.
struct LinesBehind {
    int pitch;

    static WHORL_INLINE int padded(int j) { return j + (j >> 4); }
    static int pitch_of(int n) { return padded(n - 1) + 1; }
    WHORL_INLINE int offset(int j, int line) const { return line * pitch + padded(j); }
    // Consecutive items are butterflies of one line.
    WHORL_INLINE ButterflyOfLine butterfly(int item, const Divisor& butterflies) const {
        const auto [line, butterfly] = butterflies.divide(item);
        return {butterfly, line};
    }
};

// Lines in the memory of a block, side by side. Consecutive items are one butterfly of neighbouring lines.
// Butterflies of eight neighbouring points would share banks of memory, so one row is left out after every
// eight if the memory is large enough.
struct LinesBeside {
    Divisor lines;
    bool spaced;

    static WHORL_INLINE int row(int j, bool spaced) { return spaced ? j + (j >> 3) : j; }
    // The number of rows of memory that lines of n points need.
    static int height_of(int n, bool spaced) { return row(n - 1, spaced) + 1; }
    WHORL_INLINE int offset(int j, int line) const { return row(j, spaced) * lines.number() + line; }
    WHORL_INLINE ButterflyOfLine butterfly(int item, const Divisor&) const {
        const auto [butterfly, line] = lines.divide(item);
        return {butterfly, line};
    }
};

template <class Of> constexpr int registers_of() {
    if constexpr (requires { Of::registers; })
        return Of::registers;
    else
        return 80;
}

// The layout of lines side by side in a block's memory.
struct BlockOfLines {
    int lanes = 0; // of each variable; 0: the lines are too long
    bool spaced = false;
    std::int64_t bytes = 0;
};

// The block for lines of n points of some variables. Lanes have 128 bytes if three blocks then fit into a
// multiprocessor, otherwise 64 or 32 if two do, so that one reads or writes while another transforms. If two
// do not fit, lanes are as wide as fits. `room.lane_bytes` chooses one of these widths where it fits.
template <class Real> BlockOfLines block_of_lines(int n, int variables, const BlockRoom& room) {
    constexpr int value = sizeof(Complex<Real>);
    struct Candidate {
        int lane_bytes;
        std::int64_t most;
        bool spaced;
    };
    const std::int64_t two = room.of_two(), all = room.memory;
    const Candidate candidates[] = {{128, room.of_three(), true},
                                    {64, two, true},
                                    {32, two, true},
                                    {64, all, true},
                                    {32, all, true},
                                    {32, all, false}};
    const auto block = [&](int lane_bytes, bool spaced) {
        const std::int64_t rows = LinesBeside::height_of(n, spaced);
        return BlockOfLines{lane_bytes / value, spaced, rows * variables * lane_bytes};
    };
    if (room.lane_bytes > 0)
        for (const bool spaced : {true, false})
            if (const auto chosen = block(room.lane_bytes, spaced); chosen.bytes <= all) return chosen;
    for (const Candidate& candidate : candidates)
        if (const auto chosen = block(candidate.lane_bytes, candidate.spaced); chosen.bytes <= candidate.most)
            return chosen;
    return {};
}

// The number of items of `numbers` complex numbers that a thread reads at a time: enough to keep the memory
// busy.
template <int numbers>
inline constexpr int items_together = numbers > 4 ? 2 : (numbers > 2 ? 4 : 8 / numbers);

template <int radix, Direction direction, class Real, class Lines, class Team>
WHORL_DEVICE_CALL void run_step(const Team& team, const Lines lines, int count, const RadixStep step,
                                const Complex<Real>* twiddles) {
    constexpr bool inverse = direction == Direction::backward;
    Complex<Real>* const data = team.template memory<Complex<Real>>();
    const int m = step.m.number();
    team.each(step.butterflies.number() * count, [&](int item) {
        const auto [butterfly, line] = lines.butterfly(item, step.butterflies);
        const auto [group, p] = step.m.divide(butterfly);
        const int first = group * m * radix + p;
        const auto times_twiddles = [&, p = p](Split<Real>* a) {
            if (m == 1) return;
            unrolled<radix - 1>([&](auto u) {
                const Complex<Real> w = twiddles[u * m + p];
                a[u + 1] = turned(a[u + 1], w.re, w.im);
            });
        };
        Split<Real> a[radix];
        unrolled<radix>([&, line = line](auto t) {
            const Complex<Real> value = data[lines.offset(first + m * t, line)];
            a[t] = inverse ? Split<Real>{value.im, value.re} : Split<Real>{value.re, value.im};
        });
        if constexpr (!inverse) times_twiddles(a);
        Butterfly<radix, Real>::run(a);
        if constexpr (inverse) times_twiddles(a);
        unrolled<radix>([&, line = line](auto t) {
            Complex<Real>& value = data[lines.offset(first + m * t, line)];
            value = inverse ? Complex<Real>{a[t].im, a[t].re} : Complex<Real>{a[t].re, a[t].im};
        });
    });
}

// Transforms `count` lines of plan.n points in the block's memory: modes in order <-> points in positions.
template <Direction direction, class Real, class Lines, class Team>
WHORL_DEVICE void run_steps(const Team& team, const BlockPlan<Real>& plan, const Lines& lines, int count) {
    for (int i = 0; i < plan.count; ++i) {
        const RadixStep& step = plan.steps[direction == Direction::backward ? i : plan.count - 1 - i];
        with_radix(step.radix, [&](auto radix) {
            run_step<radix, direction, Real>(team, lines, count, step, plan.twiddles + step.twiddles);
        });
    }
}

// Transforms lines side by side: a block transforms some lanes, each with the lines of Ends::variables
// variables. Ends have lanes(), the number of lanes of a group, and of(group, first), the lanes from `first`
// on, which has
//   get(j, lane, values)   element j of the variables, the input.
//   set(j, lane, values)   element j of the variables, the output.
// Modes and points are both in order.
template <class Real, class Ends, Direction direction> struct LineProgram {
    static constexpr int registers = registers_of<Ends>();
    Ends ends;
    BlockPlan<Real> plan;
    Divisor lanes;
    LinesBeside lines; // of all variables

    LineProgram(const Ends& of_ends, const BlockPlan<Real>& of_lines, const BlockOfLines& block)
        : ends(of_ends), plan(of_lines), lanes(block.lanes),
          lines{Divisor(Ends::variables * block.lanes), block.spaced} {}

    template <class Team> WHORL_DEVICE void operator()(std::int64_t block, const Team& team) const {
        constexpr bool inverse = direction == Direction::backward;
        constexpr int variables = Ends::variables;
        Complex<Real>* const data = team.template memory<Complex<Real>>();
        const int width = lanes.number();
        const LaneRange own = LaneRange::of(block, ends.lanes(), width);
        const auto own_ends = ends.of(own.group, own.first);
        struct Values {
            Complex<Real> of[variables];
        };
        team.template gather<items_together<variables>>(
            plan.n * width,
            [&](int item) {
                const auto [position, lane] = lanes.divide(item);
                Values values;
                // A lane past the count repeats lane 0.
                own_ends.get(inverse ? position : plan.points[position], lane < own.count ? lane : 0,
                             values.of);
                return values;
            },
            [&](int item, const Values& values) {
                const auto [position, lane] = lanes.divide(item);
                unrolled<variables>([&, position = position, lane = lane](auto v) {
                    data[lines.offset(position, v * width + lane)] = values.of[v];
                });
            });
        run_steps<direction>(team, plan, lines, variables * width);
        team.each(plan.n * width, [&](int item) {
            const auto [position, lane] = lanes.divide(item);
            Complex<Real> values[variables];
            unrolled<variables>([&, position = position, lane = lane](auto v) {
                values[v] = data[lines.offset(position, v * width + lane)];
            });
            if (lane < own.count) own_ends.set(inverse ? plan.points[position] : position, lane, values);
        });
    }
};

} // namespace whorl::device

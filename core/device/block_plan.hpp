// Complex lines transformed by threads that work together, in the memory of a block: what comes before and
// behind the transform reads and writes the device's memory, and nothing in between does.
//
// A program of blocks is a kernel with
//
//   void operator()(std::int64_t block, const Team& team) const
//
// on the device, whose team has
//
//   team.each(items, f)            f(i) for every item, in any order; all are done when it returns
//   team.gather<k>(items, get, put)
//       put(i, get(i)) for every item, once or more; k at a time are got before the first is put, so that
//       they come from the device's memory together
//   team.raise<Kernel>(items, f)
//       f(i, measured): Kernel::maxima values >= 0 of type Kernel::Value; Device::raised() has the largest
//   team.memory<T>()               the block's memory, of no known content
//
// The inverse is by decimation in frequency, with real and imaginary butterflies swapped, and leaves the
// points where its steps end; the forward transform is its transpose, by decimation in time, and begins with
// the points there (Van Loan, Computational Frameworks for the FFT, chapter 2). So neither has to put them in
// order:
//   position s holds the point points[s].
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "base/complex.hpp"
#include "base/divisor.hpp"
#include "base/unrolled.hpp"
#include "device/buffer.hpp"
#include "device/butterflies.hpp"
#include "device/line_plan.hpp"
#include "device/radices.hpp"

namespace whorl::device {

// What a block works on: of the `all` lanes of each group (a plane, a variable) as many as it takes.
struct LaneRange {
    int group, first, count;

    static WHORL_INLINE int blocks_of_group(int all, int taken) { return (all + taken - 1) / taken; }
    static WHORL_INLINE LaneRange of(std::int64_t block, int all, int taken) {
        const int blocks = blocks_of_group(all, taken), group = static_cast<int>(block) / blocks;
        const int first = (static_cast<int>(block) - group * blocks) * taken, left = all - first;
        return {group, first, left < taken ? left : taken};
    }
};

// Butterflies on points p + m t, t < radix, of lines of m radix points, `butterflies` of them a whole line.
struct RadixStep {
    int radix;
    Divisor m, butterflies;
    int turns; // where its roots of unity begin, [u - 1][p], exp(2 pi i p u / (m radix))
};

template <class Real> struct BlockPlan {
    static constexpr int most_steps = 16; // 3^16 points
    int n, count;
    RadixStep steps[most_steps];
    const Complex<Real>* turns;
    const int* points;
};

// What a BlockPlan points at.
template <class Memory, class Real> class BlockTables {
  public:
    explicit BlockTables(int n);
    const BlockPlan<Real>& plan() const { return plan_; }

  private:
    BlockPlan<Real> plan_{};
    Buffer<Complex<Real>, Memory> turns_;
    Buffer<int, Memory> points_;
};

template <class Memory, class Real> BlockTables<Memory, Real>::BlockTables(int n) {
    const std::vector<int> all = radices(n, largest_radix);
    WHORL_REQUIRE(all.size() <= BlockPlan<Real>::most_steps, "a line of too many points.");
    std::vector<Complex<Real>> turns;
    std::vector<int> points{0};
    int m = n, spread = 1;
    for (const int radix : all) {
        m /= radix;
        plan_.steps[plan_.count++] = {radix, Divisor(m), Divisor(n / radix), static_cast<int>(turns.size())};
        for (int u = 1; u < radix; ++u)
            for (int p = 0; p < m; ++p) {
                const double angle = 2.0 * std::numbers::pi * p * u / (1.0 * m * radix);
                turns.push_back({static_cast<Real>(std::cos(angle)), static_cast<Real>(std::sin(angle))});
            }
        // Line u of this step holds the results u + radix (those of its own lines).
        std::vector<int> next;
        for (const int offset : points)
            for (int u = 0; u < radix; ++u) next.push_back(offset + spread * u);
        points = std::move(next);
        spread *= radix;
    }
    turns_ = copied<Complex<Real>, Memory>(turns);
    points_ = copied<int, Memory>(points);
    plan_.n = n;
    plan_.turns = turns_.data();
    plan_.points = points_.data();
}

// A butterfly of a step: which of its line, and the line.
struct ButterflyOfLine {
    int butterfly, line;
};

// Lines in the memory of a block, one behind the other: points a power of two apart fall into the same bank
// of memory, so every sixteenth is left out.
struct LinesBehind {
    int pitch;

    static WHORL_INLINE int padded(int j) { return j + (j >> 4); }
    static int pitch_of(int n) { return padded(n - 1) + 1; }
    WHORL_INLINE int offset(int j, int line) const { return line * pitch + padded(j); }
    // Neighbours are on one line ...
    WHORL_INLINE ButterflyOfLine butterfly(int item, const Divisor& butterflies) const {
        const auto [line, butterfly] = butterflies.divide(item);
        return {butterfly, line};
    }
};

// ... or, of lines side by side, in one offset.
struct LinesBeside {
    Divisor lines;
    WHORL_INLINE int offset(int j, int line) const { return j * lines.number() + line; }
    WHORL_INLINE ButterflyOfLine butterfly(int item, const Divisor&) const {
        const auto [butterfly, line] = lines.divide(item);
        return {butterfly, line};
    }
};

// Items of so many numbers that a thread fetches at a time: enough to keep the memory busy.
template <int numbers>
inline constexpr int items_together = numbers > 4 ? 2 : (numbers > 2 ? 4 : 8 / numbers);

template <int radix, Direction direction, class Real, class Lines, class Team>
WHORL_DEVICE_CALL void run_step(const Team& team, const Lines lines, int count, const RadixStep step,
                                const Complex<Real>* turns) {
    constexpr bool inverse = direction == Direction::backward;
    Complex<Real>* const data = team.template memory<Complex<Real>>();
    const int m = step.m.number();
    team.each(step.butterflies.number() * count, [&](int item) {
        const auto [butterfly, line] = lines.butterfly(item, step.butterflies);
        const auto [group, p] = step.m.divide(butterfly);
        const int first = group * m * radix + p;
        const auto turn = [&](Split<Real>* a) {
            if (m == 1) return;
            unrolled<radix - 1>([&](auto u) {
                const Complex<Real> w = turns[u * m + p];
                a[u + 1] = turned(a[u + 1], w.re, w.im);
            });
        };
        Split<Real> a[radix];
        unrolled<radix>([&](auto t) {
            const Complex<Real> value = data[lines.offset(first + m * t, line)];
            a[t] = inverse ? Split<Real>{value.im, value.re} : Split<Real>{value.re, value.im};
        });
        if constexpr (!inverse) turn(a);
        Butterfly<radix, Real>::run(a);
        if constexpr (inverse) turn(a);
        unrolled<radix>([&](auto t) {
            Complex<Real>& value = data[lines.offset(first + m * t, line)];
            value = inverse ? Complex<Real>{a[t].im, a[t].re} : Complex<Real>{a[t].re, a[t].im};
        });
    });
}

// `count` lines of plan.n points in offset, in the block's memory: modes in order <-> points in positions.
template <Direction direction, class Real, class Lines, class Team>
WHORL_DEVICE void run_steps(const Team& team, const BlockPlan<Real>& plan, const Lines& lines, int count) {
    for (int i = 0; i < plan.count; ++i) {
        const RadixStep& step = plan.steps[direction == Direction::backward ? i : plan.count - 1 - i];
        with_radix(step.radix, [&](auto radix) {
            run_step<radix, direction, Real>(team, lines, count, step, plan.turns + step.turns);
        });
    }
}

// Lines side by side, some lanes to a block, of each the lines of Ends::variables variables. Ends: of the
// lanes() of a group, of(group, first) has those from `first`, with
//   get(j, lane, values)   element j of the variables that come in
//   set(j, lane, values)   what goes out
// modes on one side and points on the other, both in order.
template <class Real, class Ends, Direction direction> struct LineProgram {
    Ends ends;
    BlockPlan<Real> plan;
    Divisor lanes;
    LinesBeside lines; // of all variables

    LineProgram(const Ends& of_ends, const BlockPlan<Real>& of_lines, int of_block)
        : ends(of_ends), plan(of_lines), lanes(of_block), lines{Divisor(Ends::variables * of_block)} {}

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
                // A lane too many is another's twin.
                own_ends.get(inverse ? position : plan.points[position], lane < own.count ? lane : 0,
                             values.of);
                return values;
            },
            [&](int item, const Values& values) {
                const auto [position, lane] = lanes.divide(item);
                unrolled<variables>(
                    [&](auto v) { data[lines.offset(position, v * width + lane)] = values.of[v]; });
            });
        run_steps<direction>(team, plan, lines, variables * width);
        team.each(plan.n * width, [&](int item) {
            const auto [position, lane] = lanes.divide(item);
            Complex<Real> values[variables];
            unrolled<variables>([&](auto v) { values[v] = data[lines.offset(position, v * width + lane)]; });
            if (lane < own.count) own_ends.set(inverse ? plan.points[position] : position, lane, values);
        });
    }
};

// How many lanes, of this many points each: as wide as a transaction of memory where a block then leaves
// room for others, at least half of one; 0: they are too long.
template <class Real> int lanes_of_block(std::int64_t points, std::int64_t block_memory) {
    constexpr int value = sizeof(Complex<Real>), widest = 128, wide = 64, narrowest = 32;
    constexpr std::int64_t shared_by_several = 64 << 10;
    int bytes = widest;
    while (bytes > wide && points * bytes > shared_by_several) bytes /= 2;
    while (bytes >= narrowest && points * bytes > block_memory) bytes /= 2;
    return bytes >= narrowest ? bytes / value : 0;
}

} // namespace whorl::device

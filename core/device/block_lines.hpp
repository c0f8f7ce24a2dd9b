// Complex lines transformed by threads that work together, in the memory of a block: what comes before and
// behind the transform reads and writes the device's memory, and nothing in between does.
//
// A program of blocks is a kernel with
//
//   void operator()(std::int64_t block, const Team& team) const
//
// on the device, whose team has
//
//   team.each(items, f)       f(i) for every item, in any order; all are done when it returns
//   team.template raise<Kernel>(items, f)   f(i, measured): Kernel::maxima values >= 0, of type
//   Kernel::Value,
//                             whose largest Device::raised() gives back
//   team.template memory<T>() the block's memory, of no known content
//
// The inverse is by decimation in frequency, with real and imaginary parts swapped, and leaves the points
// where its passes end; the forward transform is its transpose, by decimation in time, and begins with the
// points there (Van Loan, Computational Frameworks for the FFT, chapter 2). So neither has to put them in
// order:
//   slot s holds the point places[s].
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "base/complex.hpp"
#include "base/unrolled.hpp"
#include "device/buffer.hpp"
#include "device/butterflies.hpp"
#include "device/lines.hpp"
#include "device/radices.hpp"

namespace whorl::device {

// Butterflies on points p + m t, t < radix, of lines of m radix points.
struct LinePass {
    int radix, m;
    int turns; // where its roots of unity begin, [u - 1][p], exp(2 pi i p u / (m radix))
};

template <class Real> struct LinePlan {
    static constexpr int most_passes = 16; // 3^16 points
    int n, count;
    LinePass passes[most_passes];
    const Complex<Real>* turns;
    const int* places;
};

// What a LinePlan points at.
template <class Memory, class Real> class LineTables {
  public:
    explicit LineTables(int n);
    const LinePlan<Real>& plan() const { return plan_; }

  private:
    LinePlan<Real> plan_{};
    Buffer<Complex<Real>, Memory> turns_;
    Buffer<int, Memory> places_;
};

template <class Memory, class Real> LineTables<Memory, Real>::LineTables(int n) {
    const std::vector<int> all = radices(n);
    WHORL_REQUIRE(all.size() <= LinePlan<Real>::most_passes, "a line of too many points.");
    std::vector<Complex<Real>> turns;
    std::vector<int> places{0};
    int m = n, spread = 1;
    for (const int radix : all) {
        m /= radix;
        plan_.passes[plan_.count++] = {radix, m, static_cast<int>(turns.size())};
        for (int u = 1; u < radix; ++u)
            for (int p = 0; p < m; ++p) {
                const double angle = 2.0 * std::numbers::pi * p * u / (1.0 * m * radix);
                turns.push_back({static_cast<Real>(std::cos(angle)), static_cast<Real>(std::sin(angle))});
            }
        // Line u of this pass holds the results u + radix (those of its own lines).
        std::vector<int> next;
        for (const int place : places)
            for (int u = 0; u < radix; ++u) next.push_back(place + spread * u);
        places = std::move(next);
        spread *= radix;
    }
    turns_ = copied<Complex<Real>, Memory>(turns);
    places_ = copied<int, Memory>(places);
    plan_.n = n;
    plan_.turns = turns_.data();
    plan_.places = places_.data();
}

// Lines in the memory of a block, one behind the other: places a power of two apart fall into the same bank
// of memory, so every sixteenth is left out.
struct LinesBehind {
    int pitch;

    static WHORL_INLINE int padded(int j) { return j + (j >> 4); }
    static int pitch_of(int n) { return padded(n - 1) + 1; }
    WHORL_INLINE int place(int j, int line) const { return line * pitch + padded(j); }
    // Item -> which of so many a line, and the line: neighbours are on one line ...
    static WHORL_INLINE int part(int item, int parts, int) { return item % parts; }
    static WHORL_INLINE int line(int item, int parts, int) { return item / parts; }
};

// ... or side by side: neighbours are in one place.
struct LinesBeside {
    int lines;

    WHORL_INLINE int place(int j, int line) const { return j * lines + line; }
    static WHORL_INLINE int part(int item, int, int lines) { return item / lines; }
    static WHORL_INLINE int line(int item, int, int lines) { return item % lines; }
};

template <int radix, Direction direction, class Real, class Lines, class Team>
WHORL_DEVICE_CALL void run_pass(const Team& team, const Lines lines, int count, const LinePass pass, int n,
                                const Complex<Real>* turns) {
    constexpr bool inverse = direction == Direction::backward;
    Complex<Real>* const data = team.template memory<Complex<Real>>();
    const int parts = n / radix, m = pass.m;
    team.each(parts * count, [&](int item) {
        const int part = Lines::part(item, parts, count), line = Lines::line(item, parts, count);
        const int p = part % m, first = (part / m) * m * radix + p;
        const auto turn = [&](Split<Real>* a) {
            if (m == 1) return;
            unrolled<radix - 1>([&](auto u) {
                const Complex<Real> w = turns[u * m + p];
                a[u + 1] = turned(a[u + 1], w.re, w.im);
            });
        };
        Split<Real> a[radix];
        unrolled<radix>([&](auto t) {
            const Complex<Real> value = data[lines.place(first + m * t, line)];
            a[t] = inverse ? Split<Real>{value.im, value.re} : Split<Real>{value.re, value.im};
        });
        if constexpr (!inverse) turn(a);
        Butterfly<radix, Real>::run(a);
        if constexpr (inverse) turn(a);
        unrolled<radix>([&](auto t) {
            Complex<Real>& value = data[lines.place(first + m * t, line)];
            value = inverse ? Complex<Real>{a[t].im, a[t].re} : Complex<Real>{a[t].re, a[t].im};
        });
    });
}

// `count` lines of plan.n points in place, in the block's memory: modes in order <-> points in slots.
template <Direction direction, class Real, class Lines, class Team>
WHORL_DEVICE void run_passes(const Team& team, const LinePlan<Real>& plan, const Lines& lines, int count) {
    for (int i = 0; i < plan.count; ++i) {
        const LinePass& pass = plan.passes[direction == Direction::backward ? i : plan.count - 1 - i];
        with_radix(pass.radix, [&](auto radix) {
            run_pass<radix, direction, Real>(team, lines, count, pass, plan.n, plan.turns + pass.turns);
        });
    }
}

// Lines side by side, some to a block. Ends: of(block) has `count` of them, and for lane < count
//   get(j, lane)           element j of what comes in
//   set(j, lane, value)    what goes out
// modes on one side and points on the other, both in order.
template <class Real, class Ends, Direction direction> struct LineProgram {
    Ends ends;
    LinePlan<Real> plan;
    int lanes;

    template <class Team> WHORL_DEVICE void operator()(std::int64_t block, const Team& team) const {
        constexpr bool inverse = direction == Direction::backward;
        Complex<Real>* const data = team.template memory<Complex<Real>>();
        const auto own = ends.of(block, lanes);
        const int items = plan.n * lanes;
        team.each(items, [&](int item) {
            const int slot = item / lanes, lane = item % lanes;
            const int j = inverse ? slot : plan.places[slot];
            data[item] = lane < own.count ? own.get(j, lane) : Complex<Real>{0, 0};
        });
        run_passes<direction>(team, plan, LinesBeside{lanes}, lanes);
        team.each(items, [&](int item) {
            const int slot = item / lanes, lane = item % lanes;
            const int j = inverse ? plan.places[slot] : slot;
            if (lane < own.count) own.set(j, lane, data[item]);
        });
    }
};

// How many of them: as wide as a transaction of memory where a block then leaves room for others, at least
// half of one; 0: the lines are too long.
template <class Real> int lanes_of_block(int n, std::int64_t block_memory) {
    constexpr int value = sizeof(Complex<Real>), widest = 128, wide = 64, narrowest = 32;
    constexpr std::int64_t shared_by_several = 64 << 10;
    int bytes = widest;
    while (bytes > wide && std::int64_t{1} * n * bytes > shared_by_several) bytes /= 2;
    while (bytes >= narrowest && std::int64_t{1} * n * bytes > block_memory) bytes /= 2;
    return bytes >= narrowest ? bytes / value : 0;
}

} // namespace whorl::device

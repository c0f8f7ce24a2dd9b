// Complex Gaussian processes of the modes of a real field, as functions only of time: whatever the steps,
// the ranks and the resolution, a mode has the same history.
//
// Real and imaginary parts are independent, of mean 0 and variance 1. `coloured` is an Ornstein-Uhlenbeck
// process, of correlation exp(-|t - t'| / T): exact at 64 times in each interval T, linear in between. Its
// values at multiples of T are sums over earlier random numbers, those between follow from both neighbours,
//
//   X(m) = (X(l) + X(r)) / (2 cosh(h / 2T)) + sqrt(tanh(h / 2T)) n,   m = (l + r) / 2, h = r - l,
//
// the distribution of the process given its past and future (a bridge). `white` is constant in intervals of
// time T and independent between them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/philox.hpp"
#include "forcing/source.hpp"
#include "grid/real_field.hpp"

namespace whorl::forcing {

// Random words of a mode n at a place in time (a step, or a time within a path): functions only of the seed,
// the mode and the place. Wavenumbers and `which` have 16 bits each in the counter, the place 64, so that no
// two of them share one.
inline PhiloxBlock random_words(const std::array<int, 3>& n, std::uint32_t which, std::int64_t place,
                                std::uint64_t seed) {
    const auto short_of = [](int number) { return static_cast<std::uint32_t>(number) & 0xFFFFu; };
    const auto [low, high] = halves(static_cast<std::uint64_t>(place));
    return philox({short_of(n[0]) | short_of(n[1]) << 16, short_of(n[2]) | which << 16, low, high},
                  halves(seed));
}

class Noise {
  public:
    enum class Colour { white, coloured };

    Noise(const ForcedModes& modes, const Surroundings& around, std::uint64_t seed, Colour colour, double T);

    // The mean over the time from `begin` to `end`, or the value where both are the same.
    void mean(double begin, double end, Values& x);

    double interval() const { return T_; }

  private:
    static constexpr int levels = 6, points = 1 << levels;

    // Adds `weight` times the integral of an interval's part from `from` to `to`, as fractions of it.
    void add_white(std::int64_t interval, double weight, Values& x);
    void add_coloured(std::int64_t interval, double from, double to, double weight, Values& x);
    void prepare(std::int64_t interval);
    void draw(int level, std::int64_t place, Values& x) const;

    const ForcedModes& modes_;
    Box box_;
    std::array<Parity, 3> parities_;
    int components_;
    std::uint64_t seed_;
    Colour colour_;
    double T_;
    std::int64_t prepared_ = -1; // the interval that is kept
    Values white_;
    std::vector<Values> path_; // at `points` + 1 times of it
};

} // namespace whorl::forcing

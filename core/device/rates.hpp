// The two rates of this machine from which the floor of a pass is computed (docs/performance.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "device/buffer.hpp"

namespace whorl::device {

// The seconds of a trial, from its seconds here: where several processes measure at once, the longest.
using Slowest = std::function<double(double)>;

// FLOP/s of complex lines of n points in cache, 5 n log2 n each, all threads together: the best of `trials`
// trials of 20 ms of each of three shapes.
double line_rate(int n, const std::string& precision, int threads, const Slowest& slowest, int trials);
// Copies larger than any cache, by all threads together.
class Copies {
  public:
    explicit Copies(int threads);
    // Bytes/s, the sum of bytes read and bytes written: the best of `trials` trials.
    double bandwidth(const Slowest& slowest, int trials);

  private:
    static constexpr std::int64_t size = std::int64_t{1} << 25; // 256 MiB of doubles
    void copy();
    int threads_;
    Buffer<double> from_, to_;
};

} // namespace whorl::device

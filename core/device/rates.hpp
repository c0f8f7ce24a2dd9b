// What this machine sustains: the two rates from which the floor of a pass is computed (docs/performance.md).
#pragma once

#include <functional>
#include <string>

namespace whorl::device {

// The seconds a trial took, from those it took here: where several processes measure at once, the longest.
using Slowest = std::function<double(double)>;

// FLOP/s of complex lines of n points in cache, 5 n log2 n each, all threads together; the best of so many
// trials of 20 ms of each of three shapes.
double line_rate(int n, const std::string& precision, int threads, const Slowest& slowest, int trials);
// Bytes/s of a copy beyond any cache, counting what is read and what is written; the best of so many trials.
double copy_bandwidth(int threads, const Slowest& slowest, int trials);

} // namespace whorl::device

// A toy for tests/core/test_toys.py: prints the largest difference between own, FFTW's and direct lines of the basis
// behind the last there was, there and back, and between the line and what it was.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "device/buffer.hpp"
#include "device/line_plan.hpp"

using namespace whorl;
using namespace whorl::device;

int main() {
    const auto basis = static_cast<Basis>(4);
    const LineShape shape{24, 16, 16, 1, 0, basis};
    const auto count = static_cast<std::size_t>(shape.extent());
    std::mt19937 random(1);
    std::vector<Complex<double>> line(count);
    for (auto& value : line) value = {random() * 1e-9, random() * 1e-9};
    double difference = 0.0, change = 0.0;
    std::vector<Complex<double>> expected = line;
    for (const Direction direction : {Direction::forward, Direction::backward}) {
        const std::vector<Complex<double>> before = expected;
        for (const LineKind kind : {LineKind::direct, LineKind::own, LineKind::estimated}) {
            if (kind == LineKind::estimated && !has_fftw()) continue;
            Buffer<Complex<double>> data(count), scratch(
                static_cast<std::size_t>(LinePlan<double>::scratch(shape.n)));
            std::copy(before.begin(), before.end(), data.data());
            LinePlan<double>::make(kind, shape, direction)->execute(data.data(), scratch.data());
            for (std::size_t i = 0; i < count; ++i) {
                if (kind == LineKind::direct) expected[i] = data.data()[i];
                difference = std::max({difference, std::abs(data.data()[i].re - expected[i].re),
                                       std::abs(data.data()[i].im - expected[i].im)});
            }
        }
    }
    for (std::size_t i = 0; i < count; ++i)
        change = std::max(change, std::abs(expected[i].re / (2 * shape.n) - line[i].re));
    std::printf("%g %g\n", difference, change);
}

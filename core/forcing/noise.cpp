#include "forcing/noise.hpp"

#include <algorithm>
#include <cmath>

namespace whorl::forcing {

namespace {

void add_times(double factor, const Values& from, Values& to) {
    for (std::size_t i = 0; i < to.data().size(); ++i) to.data()[i] = to.data()[i] + factor * from.data()[i];
}

// exp(-40) is less than the rounding of double precision.
constexpr int past = 40;

} // namespace

Noise::Noise(const ForcedModes& modes, const Surroundings& around, std::uint64_t seed, Colour colour,
             double T)
    : modes_(modes), box_(around.box), parities_(around.parities), components_(around.components),
      seed_(seed), colour_(colour), T_(T) {}

// One block of random words for each mode, component, level and place.
void Noise::draw(int level, std::int64_t place, Values& x) const {
    for (std::size_t m = 0; m < modes_.size(); ++m) {
        const RealMode mode(modes_[m].n, box_);
        for (int c = 0; c < components_; ++c) {
            const std::uint32_t which = static_cast<std::uint32_t>(c) | static_cast<std::uint32_t>(level)
                                                                            << 4;
            const PhiloxBlock words = random_words(mode.of, which, place, seed_);
            const std::array<double, 2> normal = normals(words[0], words[1]);
            const RealAmplitude amplitude(modes_[m].n, parities_[static_cast<std::size_t>(c)], box_);
            x.at(c, m) = amplitude.from(mode, normal[0], normal[1]);
        }
    }
}

void Noise::mean(double begin, double end, Values& x) {
    std::ranges::fill(x.data(), Complex<double>{0.0, 0.0});
    const double first = begin / T_, last = end / T_;
    const auto from = static_cast<std::int64_t>(std::floor(first));
    if (!(last > first)) {
        const double place = first - static_cast<double>(from);
        if (colour_ == Colour::white) return add_white(from, 1.0, x);
        return add_coloured(from, place, place, 1.0, x);
    }
    const auto to = static_cast<std::int64_t>(std::ceil(last));
    for (std::int64_t interval = from; interval < to; ++interval) {
        const double left = std::max(first - static_cast<double>(interval), 0.0);
        const double right = std::min(last - static_cast<double>(interval), 1.0);
        if (!(right > left)) continue;
        if (colour_ == Colour::white)
            add_white(interval, (right - left) / (last - first), x);
        else
            add_coloured(interval, left, right, 1.0 / (last - first), x);
    }
}

void Noise::add_white(std::int64_t interval, double weight, Values& x) {
    if (interval != prepared_ || white_.data().empty()) {
        white_ = Values(modes_.size(), components_);
        draw(0, interval, white_);
        prepared_ = interval;
    }
    add_times(weight, white_, x);
}

// The integral of a path that is linear between its points.
void Noise::add_coloured(std::int64_t interval, double from, double to, double weight, Values& x) {
    prepare(interval);
    if (from == to) {
        const int point = std::min(static_cast<int>(from * points), points - 1);
        const double beyond = from * points - point;
        add_times(weight * (1.0 - beyond), path_[static_cast<std::size_t>(point)], x);
        add_times(weight * beyond, path_[static_cast<std::size_t>(point) + 1], x);
        return;
    }
    for (int point = 0; point < points; ++point) {
        const double left = std::max(from * points - point, 0.0), right = std::min(to * points - point, 1.0);
        if (!(right > left)) continue;
        const double rising = (right * right - left * left) / 2;
        add_times(weight / points * (right - left - rising), path_[static_cast<std::size_t>(point)], x);
        add_times(weight / points * rising, path_[static_cast<std::size_t>(point) + 1], x);
    }
}

void Noise::prepare(std::int64_t interval) {
    if (interval == prepared_ && !path_.empty()) return;
    const Values zero(modes_.size(), components_);
    Values drawn = zero;
    path_.assign(static_cast<std::size_t>(points) + 1, zero);
    const double decay = std::exp(-1.0), fresh = std::sqrt(1.0 - decay * decay);
    for (int i = past; i >= 0; --i) {
        draw(0, interval - i, drawn);
        add_times(fresh * std::exp(-static_cast<double>(i)), drawn, path_.front());
    }
    draw(0, interval + 1, drawn);
    add_times(decay, path_.front(), path_.back());
    add_times(fresh, drawn, path_.back());
    for (int level = 1; level <= levels; ++level) {
        const int step = points >> level; // between a point and its neighbours
        const double half = 0.5 * 2 * step / points;
        const double share = 0.5 / std::cosh(half), spread = std::sqrt(std::tanh(half));
        for (int point = step; point < points; point += 2 * step) {
            Values& middle = path_[static_cast<std::size_t>(point)];
            draw(level, interval * points + point, drawn);
            add_times(share, path_[static_cast<std::size_t>(point - step)], middle);
            add_times(share, path_[static_cast<std::size_t>(point + step)], middle);
            add_times(spread, drawn, middle);
        }
    }
    prepared_ = interval;
}

} // namespace whorl::forcing

#include "roundtrip/line_trials.hpp"

#include <chrono>
#include <limits>

#include "device/cpu.hpp"
#include "device/fftw_lines.hpp"
#include "roundtrip/run.hpp"

namespace whorl {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// As wide as any model is at least: what is compared is the lines.
template <class Real> struct Squares : PassDefaults<Real> {
    static constexpr int inputs = 2, products = 2;
    WHORL_INLINE void point(Point, const Real* in, Real* out) const {
        out[0] = in[0] * in[0];
        out[1] = in[0] * in[1];
    }
};

} // namespace

template <class Device, class Real> LineChoice LineTrials<Device, Real>::fastest() {
    const LineChoice asked = trip_.options_.lines;
    LineChoice best = asked;
    best.measured = false;
    const Layout& at = trip_.layout_;
    if (!asked.measured || 1LL * at.nx * at.ny * at.nz <= fewest_points) return best;
    using device::LineKind;
    const int columns = trip_.workspace_.columns;
    const double of_axis = seconds / 3;
    for (const int axis : {0, 1, 2}) {
        std::vector<LineChoice> choices;
        const auto add = [&](LineKind kind, int tile, bool streams) {
            LineChoice choice = best;
            (axis == 0 ? choice.x : axis == 1 ? choice.y : choice.z) = kind;
            choice.columns = tile;
            choice.streams = streams;
            choices.push_back(choice);
        };
        add(LineKind::own, best.columns, best.streams);
        if (device::has_fftw()) add(LineKind::estimated, best.columns, best.streams);
        if (axis == 2) {
            add(LineKind::own, best.columns, false);
            if (columns > 16) add(LineKind::own, columns / 2, best.streams);
        }
        const std::vector<double> taken = time(axis, choices, of_axis);
        std::size_t fastest = 0;
        for (std::size_t i = 1; i < choices.size(); ++i)
            if (taken[i] < margin * taken[0] && taken[i] < taken[fastest]) fastest = i;
        best = choices[fastest];
    }
    return best;
}

template <class Device, class Real>
std::vector<double> LineTrials<Device, Real>::time(int axis, const std::vector<LineChoice>& choices,
                                                   double until) {
    constexpr int most_rounds = 5;
    std::vector<double> best(choices.size(), std::numeric_limits<double>::infinity());
    const auto start = Clock::now();
    // The first round warms up as well.
    for (int round = 0; round < most_rounds && (round < 2 || seconds_since(start) < until); ++round)
        for (std::size_t i = 0; i < choices.size(); ++i) {
            trip_.take_lines(choices[i]);
            best[i] = std::min(best[i], time(axis));
        }
    trip_.world_.maximum(best);
    return best;
}

template <class Device, class Real> double LineTrials<Device, Real>::time(int axis) {
    constexpr int most_variables = 16;
    for (auto* parities : {&trip_.parities_.inputs, &trip_.parities_.products, &trip_.parities_.fluxes})
        parities->assign(most_variables, 0);
    const auto start = Clock::now();
    axis == 2 ? columns() : planes(axis);
    return seconds_since(start);
}

// A few planes a thread.
template <class Device, class Real> void LineTrials<Device, Real>::planes(int axis) {
    const Layout& at = trip_.layout_;
    const int count = std::min(at.planes(0).size(), 2 * trip_.device_.executors());
    trip_.device_.each(count, [&](int executor, std::int64_t item) {
        const int first = at.planes(0).begin + static_cast<int>(item);
        const Block z{first, first + 1};
        if (axis == 1) {
            trip_.y_lines_in(executor, z, 2);
            trip_.y_lines_out(executor, z, 2);
            return;
        }
        const auto p = trip_.planes(executor, z);
        const kernels::RowPiece<Real> piece{p.data, p.stride, p.pitch, at.elements, p.pitch};
        const kernels::RowOrder order{0, z.begin, 1, true};
        const int rows = trip_.workspace_.rows;
        for (int y = 0; y + rows <= at.y.size() || y == 0; y += rows)
            trip_.points(Squares<Real>{}, executor, order, y, std::min(rows, at.y.size()), &piece);
    });
}

// A few tiles a thread.
template <class Device, class Real> void LineTrials<Device, Real>::columns() {
    const auto most = static_cast<std::int64_t>(trip_.tiles_.size());
    const std::int64_t columns = 96LL * 2 * trip_.device_.executors();
    const std::int64_t count =
        std::min(most, (columns + trip_.workspace_.columns - 1) / trip_.workspace_.columns);
    const int variables = trip_.layout_.column_variables;
    trip_.device_.each(count, [&](int executor, std::int64_t item) {
        trip_.z_lines_in(executor, trip_.tile(executor, item), variables);
        trip_.z_lines_out(executor, item, variables);
    });
}

template class LineTrials<device::Cpu, float>;
template class LineTrials<device::Cpu, double>;

} // namespace whorl

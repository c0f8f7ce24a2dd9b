#include "roundtrip/line_trials.hpp"

#include <chrono>
#include <limits>

#include "device/cpu.hpp"
#include "device/line_plan.hpp"
#include "roundtrip/run.hpp"

namespace whorl {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// A pass with no more variables than any model has, since only the lines are compared.
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
    // Tiles fit in the smallest second cache of all ranks: a restart has one choice for all.
    std::vector<double> fewest{-static_cast<double>(trip_.executors_.workspace.columns)};
    trip_.world_.maximum(fewest);
    best.columns = -static_cast<int>(fewest[0]);
    const Layout& at = trip_.layout_;
    const bool shares_planes = at.ny == 1 && at.grid.p_row > 1; // x lines then have other planes than y lines
    if (!asked.measured || shares_planes || 1LL * at.nx * at.ny * at.nz <= fewest_points) return best;
    using device::LineKind;
    const int narrower = narrower_tile(best.columns);
    const double of_axis = seconds / 3;
    for (const int axis : {0, 1, 2}) {
        std::vector<LineChoice> choices;
        const auto add = [&](LineKind kind, int tile) {
            LineChoice choice = best;
            (axis == 0 ? choice.x : axis == 1 ? choice.y : choice.z) = kind;
            choice.columns = tile;
            choices.push_back(choice);
        };
        add(LineKind::own, best.columns);
        if (device::has_fftw()) add(LineKind::estimated, best.columns);
        if (axis == 2 && narrower < best.columns) add(LineKind::own, narrower);
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
                                                   double of_axis) {
    constexpr int most_rounds = 8;
    std::vector<double> best(choices.size(), std::numeric_limits<double>::infinity());
    const Layout& at = trip_.layout_;
    const int variables = std::max(at.column_variables, at.row_variables);
    trip_.parities_.reset({variables, variables, variables, 0});
    trip_.make_plans(choices.front());
    sweep(axis); // touches the memory first, which would slow down the first choice
    const auto start = Clock::now();
    const auto over = [&] { return seconds_since(start) > of_axis; };
    for (int round = 0; round < most_rounds && !over(); ++round)
        for (std::size_t i = 0; i < choices.size(); ++i) {
            trip_.make_plans(choices[i]);
            best[i] = std::min(best[i], time(axis, over));
        }
    trip_.world_.maximum(best);
    return best;
}

template <class Device, class Real>
template <class Over>
double LineTrials<Device, Real>::time(int axis, const Over& over) {
    // The shortest of a few times: other work of the machine only makes them longer. The first warms up.
    constexpr int times = 5;
    double shortest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < times && (i == 0 || !over()); ++i) {
        const auto start = Clock::now();
        sweep(axis);
        shortest = std::min(shortest, seconds_since(start));
    }
    return shortest;
}

template <class Device, class Real> void LineTrials<Device, Real>::sweep(int axis) {
    axis == 2 ? columns() : planes(axis);
}

// Transforms a few planes per thread: y lines, or the x lines of own rows.
template <class Device, class Real> void LineTrials<Device, Real>::planes(int axis) {
    const Range all = trip_.layout_.planes(0);
    const int count = std::min(all.size(), 2 * trip_.device_.executors());
    trip_.device_.each(count, [&](int executor, std::int64_t item) {
        const int first = all.begin + static_cast<int>(item);
        if (axis == 0) return rows(executor, first);
        trip_.planes_.lines_in(executor, {first, first + 1}, Squares<Real>::inputs);
        trip_.planes_.lines_out(executor, {first, first + 1}, Squares<Real>::products);
    });
}

template <class Device, class Real> void LineTrials<Device, Real>::rows(int executor, int plane) {
    const Layout& at = trip_.layout_;
    const auto p = trip_.planes_.planes(executor, {plane, plane + 1});
    const device::RowShare<Real> whole{p.data, p.stride, p.pitch, at.elements, p.pitch};
    const bool exchanged = at.grid.p_row > 1;
    const auto* const shares =
        exchanged ? trip_.rows_.shares(executor, plane - at.planes(0).begin, 0) : &whole;
    const kernels::RowOrder order{at.y.begin, plane, exchanged ? at.y.size() : 1, !exchanged};
    const int together = trip_.executors_.workspace.rows;
    for (int y = 0; y < at.y.size(); y += together)
        trip_.rows_.through(Squares<Real>{}, executor,
                            {shares, order, y, std::min(together, at.y.size() - y)}, [](std::int64_t) {});
}

// Enough tiles that their columns of the z-pencil do not stay in the caches: there they would be quick to
// write again, to the disadvantage of lines that write past the caches.
template <class Device, class Real> void LineTrials<Device, Real>::columns() {
    constexpr std::int64_t beyond_caches = std::int64_t{64} << 20; // bytes
    const Layout& at = trip_.layout_;
    const auto most = std::int64_t{trip_.columns_.tiles()};
    const auto of_tile = static_cast<std::int64_t>(sizeof(Complex<Real>)) *
                         trip_.executors_.workspace.columns * at.nz * at.column_variables;
    const std::int64_t count = std::min(most, beyond_caches / of_tile + 1);
    const int variables = trip_.layout_.column_variables;
    trip_.device_.each(count, [&](int executor, std::int64_t item) {
        trip_.columns_.lines_in(executor, trip_.columns_.tile(executor, item), variables);
        trip_.columns_.lines_out(executor, item, variables);
    });
}

template class LineTrials<device::Cpu, float>;
template class LineTrials<device::Cpu, double>;

} // namespace whorl

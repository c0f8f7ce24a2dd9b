// Compiled once for each device.
#include "programs/mode_means.hpp"

#include <string>

#include "base/error.hpp"
#include "base/exact_sum.hpp"
#include "device/chosen.hpp"

namespace whorl::programs {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// For each pair, ky and kx of a rank the sum over all kz, in their order. They are whole on every rank, so
// that it does not depend on the ranks.
template <class Real> struct SumColumns {
    ModeTables<Real> tables;
    const CarriedInput<Real>* inputs;
    const Pair* pairs;
    double* sums; // [pair][ky][kx]
    int height, width;

    struct Place {
        int pair, j;
        double* sums;
    };
    WHORL_INLINE Place place(std::int64_t r) const {
        return {static_cast<int>(r / height), static_cast<int>(r % height), sums + r * width};
    }
    static WHORL_INLINE double term(const ModeRow<Real>& row, std::int64_t i, Complex<Real> a,
                                    Complex<Real> b) {
        const double both = static_cast<double>(i == 0 && row.from_zero ? row.weight / 2 : row.weight);
        return both * (static_cast<double>(a.re) * static_cast<double>(b.re) +
                       static_cast<double>(a.im) * static_cast<double>(b.im));
    }
    static WHORL_INLINE double mean(const ModeRow<Real>& row, std::int64_t i, Complex<Real> a) {
        return i == 0 && row.has_mean() ? static_cast<double>(a.re) : 0.0;
    }

    // Where work is enqueued: a row of the kernel is a pair and a ky.
    struct RowOf {
        const SumColumns& of;
        Place place;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const int first = of.pairs[place.pair][0], second = of.pairs[place.pair][1];
            double sum = 0.0;
            for (int l = 0; l < of.tables.nz; ++l) {
                const Row modes = of.tables.row(place.j, l);
                if (i >= modes.length) continue;
                const ModeRow<Real> row(of.tables, 0, place.j, l, modes.length);
                Complex<Real> a, b{0, 0};
                of.inputs[first].load(row.mode(i), &a);
                if (second >= 0) of.inputs[second].load(row.mode(i), &b);
                sum += second < 0 ? mean(row, i, a) : term(row, i, a, b);
            }
            place.sums[i] = sum;
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const { return {*this, place(r), width}; }

    // On threads: the same, a row of modes after another.
    template <class Device> void add(std::int64_t r, Complex<Real>* space) const {
        const Place to = place(r);
        const int first = pairs[to.pair][0], second = pairs[to.pair][1];
        Complex<Real>* const a = space;
        Complex<Real>* const b = second == first ? space : space + width;
        for (int l = 0; l < tables.nz; ++l) {
            const ModeRow<Real> row(tables, 0, to.j, l, tables.row(to.j, l).length);
            if (row.length == 0) continue;
            inputs[first].template load_row<Device>(row, kernels::PlainValues<Real>{a, width});
            if (second >= 0 && second != first)
                inputs[second].template load_row<Device>(row, kernels::PlainValues<Real>{b, width});
            if (second < 0)
                to.sums[0] += mean(row, 0, a[0]);
            else
                Device::run(row.length, [&](std::int64_t i) { to.sums[i] += term(row, i, a[i], b[i]); });
        }
    }
};

} // namespace

template <class Device, class Real>
std::vector<double> mode_means(RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
                               const std::vector<std::vector<Term>>& inputs, const std::vector<Pair>& pairs,
                               const std::vector<Source<Real>>& sources) {
    using Memory = typename Device::Memory;
    const std::array<bool, 3>& walls = trip.layout().walls;
    WHORL_REQUIRE(!walls[0] && !walls[1] && !walls[2], "means of modes are for boxes without walls.");
    for (const Pair& pair : pairs)
        WHORL_REQUIRE(pair[0] >= 0 && std::max(pair[0], pair[1]) < static_cast<int>(inputs.size()),
                      "a mean is of inputs " + std::to_string(pair[0]) + " and " + std::to_string(pair[1]) +
                          " where there are " + std::to_string(inputs.size()) + ".");
    std::vector<LoadedTerm<Real>> terms;
    for (const auto& input : inputs)
        for (const Term& term : input) terms.push_back(loaded(term, sources));
    const device::Table<LoadedTerm<Real>, Memory> term_table(terms);
    std::vector<CarriedInput<Real>> carried;
    for (std::size_t first = 0; const auto& input : inputs) {
        auto& one = carried.emplace_back();
        one.terms = term_table.data() + first;
        one.term_count = static_cast<int>(input.size());
        first += input.size();
    }
    const device::Table<CarriedInput<Real>, Memory> input_table(carried);
    const device::Table<Pair, Memory> pair_table(pairs);
    const int height = trip.table().height(), width = trip.table().kx().size();
    const std::int64_t rows = 1LL * static_cast<int>(pairs.size()) * height;
    device::Buffer<double, Memory> sums(static_cast<std::size_t>(rows * width));
    const SumColumns<Real> kernel{trip.modes(), input_table.data(), pair_table.data(), sums.data(), height,
                                  width};
    if constexpr (Device::queues) {
        trip.device().over(rows, kernel);
        trip.device().finish();
    } else {
        std::vector<Complex<Real>> space(2 * at(width) * at(trip.device().executors()));
        trip.device().each(rows, [&](int executor, std::int64_t r) {
            kernel.template add<Device>(r, space.data() + 2LL * executor * width);
        });
    }
    std::vector<double> of_columns(static_cast<std::size_t>(rows * width));
    if constexpr (Memory::separate)
        Memory::to_host(of_columns.data(), sums.data(), sums.bytes());
    else
        std::copy_n(sums.data(), of_columns.size(), of_columns.data());
    const exchange::Watchdog::Scope watched(trip.exchanges().watchdog(), "sum of what was measured", -1);
    std::vector<double> means;
    const std::int64_t columns = 1LL * height * width;
    for (std::int64_t p = 0; p < static_cast<std::int64_t>(pairs.size()); ++p) {
        ExactSum sum;
        for (std::int64_t c = 0; c < columns; ++c)
            sum.add(of_columns[static_cast<std::size_t>(p * columns + c)]);
        world.sum(std::span<std::uint64_t>(sum.words()));
        means.push_back(sum.value());
    }
    return means;
}

#define WHORL_INSTANTIATE(Real)                                                                              \
    template std::vector<double> mode_means(RoundTrip<device::Chosen, Real>&, const exchange::Communicator&, \
                                            const std::vector<std::vector<Term>>&, const std::vector<Pair>&, \
                                            const std::vector<Source<Real>>&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl::programs

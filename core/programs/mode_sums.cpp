// Compiled once for each device.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/exact_sum.hpp"
#include "device/chosen.hpp"
#include "grid/box.hpp"
#include "programs/evaluate.hpp"
#include "programs/on_host.hpp"
#include "programs/program_parts.hpp"
#include "roundtrip/roundtrip.hpp"

namespace whorl::programs {

namespace {

// The sums over all kz, in their order, for each pair, ky and kx of a rank. Every rank has all kz, so the
// sums do not depend on the ranks.
template <class Real> struct SumColumns {
    ModeTables<Real> tables;
    const LinearInput<Real>* inputs;
    const Pair* pairs;
    double* sums; // [pair][ky][kx]
    int pair_count, height, width;

    struct Place {
        int pair, j;
    };
    WHORL_INLINE Place place(std::int64_t r) const {
        return {static_cast<int>(r / height), static_cast<int>(r % height)};
    }
    WHORL_INLINE double* sums_of(std::int64_t r) const { return sums + r * width; }
    static WHORL_INLINE double term(const ModeRow<Real>& row, std::int64_t i, Complex<Real> a,
                                    Complex<Real> b) {
        return number(row, i) * (static_cast<double>(a.re) * static_cast<double>(b.re) +
                                 static_cast<double>(a.im) * static_cast<double>(b.im));
    }
    static WHORL_INLINE double mean(const ModeRow<Real>& row, std::int64_t i, Complex<Real> a) {
        return i == 0 && row.has_mean() ? static_cast<double>(a.re) : 0.0;
    }

    // On a GPU: a row of the kernel is a pair and a ky.
    struct RowOf {
        const SumColumns& of;
        Place place;
        double* sums;
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
            sums[i] = sum;
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const { return {*this, place(r), sums_of(r), width}; }

    // Modes of a row: these values times a factor.
    struct Scaled {
        const Complex<Real>* values;
        double factor;
    };
    // The number of modes for which a stored mode counts.
    static WHORL_INLINE double number(const ModeRow<Real>& row, std::int64_t i) {
        return static_cast<double>(i == 0 && row.from_zero ? row.weight / 2 : row.weight);
    }

    // On threads: calls use(pair, row, a, b) for the rows of modes of a ky in order. Each row is used for all
    // pairs while its modes are in the cache. b is a if both are one input or the pair has no second input.
    // If the pair has no input, a and b have no meaning.
    template <class Device, class Use> void each_row(int j, Complex<Real>* space, const Use& use) const {
        const auto loaded = [&](int input, const ModeRow<Real>& row, Complex<Real>* to) -> Scaled {
            const LinearInput<Real>& of = inputs[input];
            if (of.is_multiple()) return {of.terms->field + row.index, of.terms->factor};
            of.template load_row<Device>(row, kernels::PlainValues<Real>{to, width});
            return {to, 1.0};
        };
        for (int l = 0; l < tables.nz; ++l) {
            const ModeRow<Real> row(tables, 0, j, l, tables.row(j, l).length);
            if (row.length == 0) continue;
            Scaled a{space, 1.0};
            for (int p = 0, there = -1; p < pair_count; ++p) {
                const int first = pairs[p][0], second = pairs[p][1];
                if (first >= 0 && first != there) a = loaded(first, row, space);
                there = first;
                use(p, row, a, second < 0 || second == first ? a : loaded(second, row, space + width));
            }
        }
    }
    // On threads: adds each term of a row to the sum of its kx.
    template <class Device>
    static void add_terms(const ModeRow<Real>& row, const Scaled& a, const Scaled& b, double* sums) {
        const double factor = a.factor * b.factor * static_cast<double>(row.weight);
        const auto product = [&](std::int64_t i) {
            return static_cast<double>(a.values[i].re) * static_cast<double>(b.values[i].re) +
                   static_cast<double>(a.values[i].im) * static_cast<double>(b.values[i].im);
        };
        Device::run(row.length, [&](std::int64_t i) { sums[i] += factor * product(i); });
        if (row.from_zero) sums[0] -= 0.5 * factor * product(0);
    }
    template <class Device> void add(int j, Complex<Real>* space) const {
        each_row<Device>(j, space, [&](int p, const ModeRow<Real>& row, const Scaled& a, const Scaled& b) {
            double* const total = sums_of(1LL * p * height + j);
            if (pairs[p][1] < 0)
                total[0] += a.factor * mean(row, 0, a.values[0]);
            else
                add_terms<Device>(row, a, b, total);
        });
    }
};

// The sums of groups of pairs by cell.
template <class Real> struct SumBins {
    static constexpr int words = ExactSum::word_count;
    static constexpr int together = 16; // modes of a row whose cells are found at a time

    SumColumns<Real> of;
    const int* firsts; // of the groups among the pairs, and the end
    int groups;
    ModeBins bins;
    std::uint64_t* sums; // [group][cell][word]; on threads of each executor
    // On threads, for each executor and each column of kz: the sums [group][kx] that are not yet added to a
    // cell, that cell, and the cell of the present row.
    double* runs;
    int *before, *present;

    // Whether modes are counted.
    static WHORL_INLINE bool is_number(const Pair& pair) { return pair[0] < 0; }
    WHORL_INLINE std::uint64_t* words_of(int group, int cell) const {
        return sums + (1LL * group * bins.cells() + cell) * words;
    }
    // On a GPU: a block works on a group and a ky.
    template <class Team> WHORL_DEVICE void operator()(std::int64_t block, const Team& team) const {
        const int group = static_cast<int>(block / of.height), j = static_cast<int>(block % of.height);
        team.each(of.tables.nz * of.width, [&](int item) {
            const int l = item / of.width, i = item % of.width;
            const Row modes = of.tables.row(j, l);
            if (i >= modes.length) return;
            const ModeRow<Real> row(of.tables, 0, j, l, modes.length);
            double sum = 0.0;
            for (int p = firsts[group]; p < firsts[group + 1]; ++p) {
                if (is_number(of.pairs[p])) {
                    sum += of.number(row, i);
                    continue;
                }
                Complex<Real> a, b;
                of.inputs[of.pairs[p][0]].load(row.mode(i), &a);
                of.inputs[of.pairs[p][1]].load(row.mode(i), &b);
                sum += of.term(row, i, a, b);
            }
            ExactSum::add_to(words_of(group, bins.cell(bins.place(widened(row.k(i))))), sum,
                             [&](std::uint64_t* word, std::uint64_t value) { team.add(word, value); });
        });
    }
    // On threads.
    template <class Device> void add(int j, Complex<Real>* space) const {
        std::fill_n(before, of.width, -1);
        std::fill_n(runs, groups * of.width, 0.0);
        int group = 0;
        using Scaled = typename SumColumns<Real>::Scaled;
        of.template each_row<Device>(
            j, space, [&](int p, const ModeRow<Real>& row, const Scaled& a, const Scaled& b) {
                if (p == 0) find_cells<Device>(row);
                group = p == 0 ? 0 : group + (p == firsts[group + 1]);
                double* const run = runs + 1LL * group * of.width;
                if (p == firsts[group]) end_runs(group, row.length);
                if (is_number(of.pairs[p]))
                    Device::run(row.length, [&](std::int64_t i) { run[i] += of.number(row, i); });
                else
                    of.template add_terms<Device>(row, a, b, run);
                if (p == of.pair_count - 1) std::copy_n(present, row.length, before);
            });
        std::fill_n(present, of.width, -1);
        for (int g = 0; g < groups; ++g) end_runs(g, of.width);
    }
    // Finds the cells of a row, along which no coordinate both rises and falls: modes between two modes of a
    // cell with bins are in it, too. Other cells follow from coordinates, in a loop that is vectorised.
    template <class Device> void find_cells(const ModeRow<Real>& row) const {
        ModeBins::Place before_part = bins.place(widened(row.k(0)));
        for (int begin = 0; begin < row.length; begin += together) {
            const ModeRow<Real> part = row.slice(begin, together);
            const ModeBins::Place last = bins.place(widened(part.k(part.length - 1)), before_part);
            if (bins.cell(before_part) == bins.cell(last) && bins.is_inside(last))
                std::fill_n(present + begin, part.length, bins.cell(last));
            else
                find_cells_of<Device>(part, before_part, present + begin);
            before_part = last;
        }
    }
    template <class Device>
    void find_cells_of(const ModeRow<Real>& part, ModeBins::Place place, int* cells) const {
        double values[ModeBins::most_axes][together];
        for (int a = 0; a < bins.axes; ++a) {
            const ModeBinsOfAxis& axis = bins.of[a];
            double* const to = values[a];
            if (axis.of == ModeCoordinate::size)
                Device::run(part.length,
                            [&](std::int64_t i) { to[i] = std::sqrt(square(widened(part.k(i)))); });
            else
                for (int i = 0; i < part.length; ++i) to[i] = axis.value(widened(part.k(i)));
        }
        for (int i = 0; i < part.length; ++i) {
            for (int a = 0; a < bins.axes; ++a) place.of[a] = bins.of[a].bin(values[a][i], place.of[a]);
            cells[i] = bins.cell(place);
        }
    }
    // Adds the sums of columns that are now in another cell to the cell before.
    void end_runs(int group, int length) const {
        double* const run = runs + 1LL * group * of.width;
        if (std::equal(before, before + length, present)) return; // as in most rows
        for (int i = 0; i < length; ++i) {
            if (before[i] == present[i]) continue;
            if (before[i] >= 0)
                ExactSum::add_to(words_of(group, before[i]), run[i],
                                 [](std::uint64_t* word, std::uint64_t value) { *word += value; });
            run[i] = 0.0;
        }
    }
};

// The pairs of all sums one after another, and the numbers of the first pairs of each sum, with the end.
std::pair<std::vector<Pair>, std::vector<int>> one_after_another(const std::vector<std::vector<Pair>>& sums) {
    std::vector<Pair> pairs;
    std::vector<int> firsts{0};
    for (const auto& one : sums) {
        WHORL_REQUIRE(!one.empty(), "a sum over modes has no pair.");
        pairs.insert(pairs.end(), one.begin(), one.end());
        firsts.push_back(static_cast<int>(pairs.size()));
    }
    return {std::move(pairs), std::move(firsts)};
}

std::vector<double> lowered_edges(const std::vector<ModeAxis>& axes) {
    std::vector<double> edges;
    for (const ModeAxis& one : axes)
        for (const double edge : one.edges) edges.push_back(lowered(edge));
    return edges;
}

void require_bins(const std::vector<ModeAxis>& axes) {
    const auto rises = [](const ModeAxis& one) {
        return one.edges.size() > 1 && std::ranges::is_sorted(one.edges) && one.axis >= 0 && one.axis < 3;
    };
    WHORL_REQUIRE(!axes.empty() && axes.size() <= ModeBins::most_axes && std::ranges::all_of(axes, rises),
                  "bins of modes are along one or two coordinates, between edges that rise.");
}

ModeBins bins_of(const std::vector<ModeAxis>& axes, const double* edges) {
    ModeBins bins{static_cast<int>(axes.size()), {}};
    for (std::size_t a = 0; a < axes.size(); ++a) {
        bins.of[a] = {axes[a].of, axes[a].axis, static_cast<int>(axes[a].edges.size()) - 1, edges};
        edges += axes[a].edges.size();
    }
    return bins;
}

// The inputs and pairs on the device, and the rows of the kernels.
template <class Device, class Real> class PairsOf {
    using Memory = typename Device::Memory;

  public:
    PairsOf(RoundTrip<Device, Real>& trip, const InputTerms& inputs, const std::vector<Pair>& pairs,
            const std::vector<NamedField<Real>>& named_fields, int least)
        : trip_(trip), pair_count_(static_cast<int>(pairs.size())), inputs_(inputs, trip.layout()) {
        const std::array<bool, 3>& walls = trip.layout().walls;
        WHORL_REQUIRE(!walls[0] && !walls[1] && !walls[2], "sums over modes are for boxes without walls.");
        const auto is_known = [&](const Pair& pair) {
            return (pair == the_number && least == 0) ||
                   (pair[0] >= 0 && pair[1] >= least &&
                    std::max(pair[0], pair[1]) < static_cast<int>(inputs.size()));
        };
        for (const Pair& pair : pairs)
            WHORL_REQUIRE(is_known(pair), "a sum is of inputs " + std::to_string(pair[0]) + " and " +
                                              std::to_string(pair[1]) + " where there are " +
                                              std::to_string(inputs.size()) + ".");
        inputs_.refer_to(named_fields);
        pairs_ = device::Table<Pair, Memory>(pairs);
    }

    std::int64_t rows() const { return 1LL * pair_count_ * height(); }
    int height() const { return trip_.table().height(); }
    int width() const { return trip_.table().kx().size(); }
    SumColumns<Real> kernel(double* sums) {
        return {trip_.modes(), inputs_.data(), pairs_.data(), sums, pair_count_, height(), width()};
    }
    // On threads: add(j, space) for every ky.
    template <class Kernel> void on_threads(const auto& kernel_of) {
        const int executors = trip_.device().executors();
        device::Buffer<Complex<Real>> space(static_cast<std::size_t>(2LL * executors * width()), executors);
        trip_.device().each(height(), [&](int executor, std::int64_t j) {
            const Kernel kernel = kernel_of(executor);
            kernel.template add<Device>(static_cast<int>(j), space.data() + 2LL * executor * width());
        });
    }

  private:
    RoundTrip<Device, Real>& trip_;
    int pair_count_;
    LinearInputs<Memory, Real> inputs_;
    device::Table<Pair, Memory> pairs_; // refers to the pairs where memory is the host's
};

} // namespace

template <class Device, class Real>
std::vector<double> mode_means(RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
                               const InputTerms& inputs, const std::vector<Pair>& pairs,
                               const std::vector<NamedField<Real>>& named_fields) {
    PairsOf<Device, Real> of(trip, inputs, pairs, named_fields, -1);
    const std::int64_t columns = 1LL * of.height() * of.width();
    device::Buffer<double, typename Device::Memory> sums(static_cast<std::size_t>(of.rows() * of.width()));
    const SumColumns<Real> kernel = of.kernel(sums.data());
    if constexpr (Device::streams) {
        trip.device().over(of.rows(), kernel);
        trip.device().finish();
    } else {
        of.template on_threads<SumColumns<Real>>([&](int) { return kernel; });
    }
    const OnHost of_columns(sums);
    const exchange::Watchdog::Scope watched(trip.exchanges().watchdog(), "sum of what was measured", -1);
    std::vector<std::uint64_t> words;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        ExactSum sum;
        for (std::int64_t c = 0; c < columns; ++c)
            sum.add(of_columns.values()[p * static_cast<std::size_t>(columns) + static_cast<std::size_t>(c)]);
        words.insert(words.end(), sum.words().begin(), sum.words().end());
    }
    return sums_of_ranks(world, words);
}

template <class Device, class Real>
std::vector<std::vector<double>>
mode_spectra(RoundTrip<Device, Real>& trip, const exchange::Communicator& world, const InputTerms& inputs,
             const std::vector<std::vector<Pair>>& sums, const std::vector<NamedField<Real>>& named_fields,
             const std::vector<ModeAxis>& axes) {
    using Memory = typename Device::Memory;
    require_bins(axes);
    const auto [pairs, firsts] = one_after_another(sums);
    PairsOf<Device, Real> of(trip, inputs, pairs, named_fields, 0);
    const std::vector<double> edges = lowered_edges(axes);
    const device::Table<double, Memory> edges_there(edges);
    const device::Table<int, Memory> firsts_there(firsts);
    const ModeBins bins = bins_of(axes, edges_there.data());
    const int groups = static_cast<int>(sums.size()),
              copies = Device::streams ? 1 : trip.device().executors();
    const std::int64_t of_all = 1LL * groups * bins.cells() * SumBins<Real>::words;
    device::Buffer<std::uint64_t, Memory> words(static_cast<std::size_t>(copies * of_all));
    const std::int64_t width = Device::streams ? 0 : of.width(); // on threads
    device::Buffer<double> runs(static_cast<std::size_t>(copies * groups * width));
    device::Buffer<int> cells(static_cast<std::size_t>(2 * copies * width));
    const auto kernel_of = [&](int executor) {
        int* const of_executor = cells.data() + 2 * executor * width;
        return SumBins<Real>{of.kernel(nullptr),
                             firsts_there.data(),
                             groups,
                             bins,
                             words.data() + executor * of_all,
                             runs.data() + executor * groups * width,
                             of_executor,
                             of_executor + width};
    };
    if constexpr (Device::streams) {
        trip.device().each(1, [&](int executor, std::int64_t) {
            trip.device().for_blocks(executor, 1LL * groups * of.height(), 0, kernel_of(0));
        });
        trip.device().finish();
    } else {
        of.template on_threads<SumBins<Real>>(kernel_of);
    }
    const OnHost of_executors(words);
    const auto total = first_of_sums(of_executors.values(), static_cast<std::size_t>(of_all));
    const exchange::Watchdog::Scope watched(trip.exchanges().watchdog(), "sum of what was measured", -1);
    const std::vector<double> found = sums_of_ranks(world, total);
    std::vector<std::vector<double>> spectra;
    for (auto next = found.begin(); next != found.end(); next += bins.cells())
        spectra.emplace_back(next, next + bins.cells());
    return spectra;
}

#define WHORL_INSTANTIATE(Real)                                                                              \
    template std::vector<double> mode_means(RoundTrip<device::Chosen, Real>&, const exchange::Communicator&, \
                                            const InputTerms&, const std::vector<Pair>&,                     \
                                            const std::vector<NamedField<Real>>&);                           \
    template std::vector<std::vector<double>> mode_spectra(                                                  \
        RoundTrip<device::Chosen, Real>&, const exchange::Communicator&, const InputTerms&,                  \
        const std::vector<std::vector<Pair>>&, const std::vector<NamedField<Real>>&,                         \
        const std::vector<ModeAxis>&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl::programs

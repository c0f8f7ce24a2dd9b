// Compiled once for each device.
#include "programs/mode_sums.hpp"

#include <cmath>
#include <string>

#include "base/error.hpp"
#include "base/exact_sum.hpp"
#include "device/chosen.hpp"
#include "grid/shell.hpp"
#include "programs/carried_inputs.hpp"
#include "programs/on_host.hpp"

namespace whorl::programs {

namespace {

// For each pair, ky and kx of a rank the sum over all kz, in their order. They are whole on every rank, so
// that it does not depend on the ranks.
template <class Real> struct SumColumns {
    ModeTables<Real> tables;
    const CarriedInput<Real>* inputs;
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

    // On threads: use(pair, row, a, b) for the rows of modes of a ky, one after another, and each row for all
    // pairs while its modes are in the cache; b is a where both are one input, or there is no second.
    template <class Device, class Use> void each_row(int j, Complex<Real>* space, const Use& use) const {
        const auto loaded = [&](int input, const ModeRow<Real>& row, Complex<Real>* to) {
            inputs[input].template load_row<Device>(row, kernels::PlainValues<Real>{to, width});
            return to;
        };
        for (int l = 0; l < tables.nz; ++l) {
            const ModeRow<Real> row(tables, 0, j, l, tables.row(j, l).length);
            if (row.length == 0) continue;
            for (int p = 0, there = -1; p < pair_count; ++p) {
                const int first = pairs[p][0], second = pairs[p][1];
                if (first != there) loaded(first, row, space);
                there = first;
                use(p, row, space,
                    second < 0 || second == first ? space : loaded(second, row, space + width));
            }
        }
    }
    template <class Device> void add(int j, Complex<Real>* space) const {
        each_row<Device>(
            j, space, [&](int p, const ModeRow<Real>& row, const Complex<Real>* a, const Complex<Real>* b) {
                double* const total = sums_of(1LL * p * height + j);
                if (pairs[p][1] < 0)
                    total[0] += mean(row, 0, a[0]);
                else
                    Device::run(row.length, [&](std::int64_t i) { total[i] += term(row, i, a[i], b[i]); });
            });
    }
};

// The same sums by shell: each mode adds to the exact sum of its shell.
template <class Real> struct SumShells {
    static constexpr int words = ExactSum::word_count;

    SumColumns<Real> of;
    std::uint64_t* sums; // [pair][shell][word]; on threads of each executor
    ShellsOf shells;

    WHORL_INLINE std::uint64_t* words_of(int pair, Wavenumber<Real> k) const {
        const double along = std::abs(static_cast<double>(shells.axis == 0   ? k.x
                                                          : shells.axis == 1 ? k.y
                                                                             : k.z));
        const double size = shells.axis < 0 ? std::sqrt(square(widened(k))) : along;
        const int shell = shell_number(size, shells.width);
        const int last = shells.count - 1;
        return sums + (1LL * pair * shells.count + (shell < last ? shell : last)) * words;
    }
    // Where work is enqueued: a block takes a pair and a ky.
    template <class Team> WHORL_DEVICE void operator()(std::int64_t block, const Team& team) const {
        const auto place = of.place(block);
        const int first = of.pairs[place.pair][0], second = of.pairs[place.pair][1];
        team.each(of.tables.nz * of.width, [&](int item) {
            const int l = item / of.width, i = item % of.width;
            const Row modes = of.tables.row(place.j, l);
            if (i >= modes.length) return;
            const ModeRow<Real> row(of.tables, 0, place.j, l, modes.length);
            Complex<Real> a, b;
            of.inputs[first].load(row.mode(i), &a);
            of.inputs[second].load(row.mode(i), &b);
            ExactSum::add_to(words_of(place.pair, row.k(i)), of.term(row, i, a, b),
                             [&](std::uint64_t* word, std::uint64_t value) { team.add(word, value); });
        });
    }
    // On threads.
    template <class Device> void add(int j, Complex<Real>* space) const {
        of.template each_row<Device>(
            j, space, [&](int p, const ModeRow<Real>& row, const Complex<Real>* a, const Complex<Real>* b) {
                for (int i = 0; i < row.length; ++i)
                    ExactSum::add_to(words_of(p, row.k(i)), of.term(row, i, a[i], b[i]),
                                     [](std::uint64_t* word, std::uint64_t value) { *word += value; });
            });
    }
};

// The inputs and pairs on the device, and the rows of the kernels.
template <class Device, class Real> class PairsOf {
    using Memory = typename Device::Memory;

  public:
    PairsOf(RoundTrip<Device, Real>& trip, const InputTerms& inputs, const std::vector<Pair>& pairs,
            const std::vector<Source<Real>>& sources, int least)
        : trip_(trip), pair_count_(static_cast<int>(pairs.size())), inputs_(inputs, trip.layout()) {
        const std::array<bool, 3>& walls = trip.layout().walls;
        WHORL_REQUIRE(!walls[0] && !walls[1] && !walls[2], "sums over modes are for boxes without walls.");
        for (const Pair& pair : pairs)
            WHORL_REQUIRE(pair[0] >= 0 && pair[1] >= least &&
                              std::max(pair[0], pair[1]) < static_cast<int>(inputs.size()),
                          "a sum is of inputs " + std::to_string(pair[0]) + " and " +
                              std::to_string(pair[1]) + " where there are " + std::to_string(inputs.size()) +
                              ".");
        inputs_.refer_to(sources);
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
    CarriedInputs<Memory, Real> inputs_;
    device::Table<Pair, Memory> pairs_; // refers to the pairs where memory is the host's
};

} // namespace

template <class Device, class Real>
std::vector<double> mode_means(RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
                               const InputTerms& inputs, const std::vector<Pair>& pairs,
                               const std::vector<Source<Real>>& sources) {
    PairsOf<Device, Real> of(trip, inputs, pairs, sources, -1);
    const std::int64_t columns = 1LL * of.height() * of.width();
    device::Buffer<double, typename Device::Memory> sums(static_cast<std::size_t>(of.rows() * of.width()));
    const SumColumns<Real> kernel = of.kernel(sums.data());
    if constexpr (Device::queues) {
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
             const std::vector<Pair>& pairs, const std::vector<Source<Real>>& sources, ShellsOf shells) {
    PairsOf<Device, Real> of(trip, inputs, pairs, sources, 0);
    const int words = SumShells<Real>::words, copies = Device::queues ? 1 : trip.device().executors();
    const std::int64_t of_all = 1LL * static_cast<int>(pairs.size()) * shells.count * words;
    device::Buffer<std::uint64_t, typename Device::Memory> sums(static_cast<std::size_t>(copies * of_all));
    const auto kernel_of = [&](int executor) {
        return SumShells<Real>{of.kernel(nullptr), sums.data() + executor * of_all, shells};
    };
    if constexpr (Device::queues) {
        trip.device().each(1, [&](int executor, std::int64_t) {
            trip.device().for_blocks(executor, of.rows(), 0, kernel_of(0));
        });
        trip.device().finish();
    } else {
        of.template on_threads<SumShells<Real>>(kernel_of);
    }
    const OnHost of_executors(sums);
    const auto total = first_of_sums(of_executors.values(), static_cast<std::size_t>(of_all));
    const exchange::Watchdog::Scope watched(trip.exchanges().watchdog(), "sum of what was measured", -1);
    const std::vector<double> found = sums_of_ranks(world, total);
    std::vector<std::vector<double>> spectra;
    for (auto next = found.begin(); next != found.end(); next += shells.count)
        spectra.emplace_back(next, next + shells.count);
    return spectra;
}

#define WHORL_INSTANTIATE(Real)                                                                              \
    template std::vector<double> mode_means(RoundTrip<device::Chosen, Real>&, const exchange::Communicator&, \
                                            const InputTerms&, const std::vector<Pair>&,                     \
                                            const std::vector<Source<Real>>&);                               \
    template std::vector<std::vector<double>> mode_spectra(                                                  \
        RoundTrip<device::Chosen, Real>&, const exchange::Communicator&, const InputTerms&,                  \
        const std::vector<Pair>&, const std::vector<Source<Real>>&, ShellsOf);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl::programs

// Compiled once for each device.
#include "programs/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/exact_sum.hpp"
#include "base/maximum.hpp"
#include "device/chosen.hpp"
#include "programs/interpreter.hpp"
#include "programs/loads_on_streams.hpp"
#include "programs/on_host.hpp"
#include "programs/program_parts.hpp"
#include "programs/program_pass.hpp"
#include "roundtrip/run.hpp"

namespace whorl::programs {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// On a GPU: the sums along x of a batch's rows for the first `means` values, and the maxima for the others. A
// row of the kernel has `together` rows of the batch.
template <class Real> struct MeasureRows {
    static constexpr int together = 128;

    const Real* values;
    double* measured;
    std::int64_t first, of_batch, of_all; // row, and rows of one value
    int nx, means;

    WHORL_INLINE std::int64_t groups() const { return (of_batch + together - 1) / together; }
    struct RowOf {
        const MeasureRows& of;
        std::int64_t number, first;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const Real* const row = of.values + (number * of.of_batch + first + i) * of.nx;
            double found = number < of.means ? 0.0 : lowest;
            for (int x = 0; x < of.nx; ++x) {
                const auto value = static_cast<double>(row[x]);
                found = number < of.means ? found + value : larger(found, value);
            }
            of.measured[number * of.of_all + of.first + first + i] = found;
        }
    };
    WHORL_INLINE RowOf row(std::int64_t r) const {
        const std::int64_t begin = r % groups() * together, left = of_batch - begin;
        return {*this, r / groups(), begin, static_cast<int>(left < together ? left : together)};
    }
};

// The histograms of a program while it runs.
template <class Device, class Real> class RunningHistograms {
    using Memory = typename Device::Memory;

  public:
    explicit RunningHistograms(RoundTrip<Device, Real>& trip) : trip_(trip) {}

    const Histogram<Real>* data() const { return histograms_.data(); }
    // Makes room for the counts of a rank of `points` points. Each executor counts for itself; a GPU has one
    // count.
    void make(const std::vector<HistogramShape>& shapes, std::int64_t points) {
        const int copies = executors();
        int first = 0;
        std::int64_t cells = 0, words = 0;
        for (const HistogramShape& shape : shapes) {
            histograms_.push_back({shape, first, nullptr, nullptr});
            first += shape.operands();
            WHORL_REQUIRE(shape.weights == 0 || points <= ExactSum::most_added,
                          "a rank has " + std::to_string(points) +
                              " points, more than weights are summed of; take more ranks.");
            cells += 1LL * counters() * shape.cells();
            words += copies * histograms_.back().sum_words();
        }
        counts_ = device::Buffer<std::uint64_t, Memory>(static_cast<std::size_t>(cells));
        sums_ = device::Buffer<std::uint64_t, Memory>(static_cast<std::size_t>(words));
        std::uint64_t *counts = counts_.data(), *sums = sums_.data();
        for (Histogram<Real>& histogram : histograms_) {
            histogram.counts = std::exchange(counts, counts + 1LL * counters() * histogram.shape.cells());
            histogram.sums = std::exchange(sums, sums + copies * histogram.sum_words());
        }
    }

    // On a GPU: counts the points of a batch, [operand][point].
    void count(const Real* values, std::int64_t points) {
        for (const Histogram<Real>& histogram : histograms_) {
            const std::int64_t bytes = HistogramBlocks<Real>::bytes(histogram.shape);
            const bool in_block = bytes <= trip_.device().block_memory();
            const HistogramBlocks<Real> program{histogram, values + histogram.first * points, points,
                                                in_block};
            trip_.device().each(1, [&](int executor, std::int64_t) {
                trip_.device().for_blocks(executor, program.blocks(), in_block ? bytes : 0, program);
            });
        }
        trip_.device().finish();
    }

    // The sums over executors and ranks, all whole numbers.
    std::vector<Counted> found(const exchange::Communicator& world) {
        const exchange::Watchdog::Scope watched(trip_.exchanges().watchdog(), "sum of what was measured", -1);
        const OnHost counts(counts_), sums(sums_);
        std::vector<Counted> all;
        for (const Histogram<Real>& histogram : histograms_) {
            std::vector<std::uint64_t> of_cells(static_cast<std::size_t>(histogram.shape.cells()), 0);
            const std::int64_t begin = histogram.counts - counts_.data();
            const int side_by_side = counters() / executors();
            for (std::int64_t i = 0; i < 1LL * counters() * histogram.shape.cells(); ++i)
                of_cells[static_cast<std::size_t>(i / side_by_side % histogram.shape.cells())] +=
                    counts.values()[static_cast<std::size_t>(begin + i)];
            world.sum(std::span<std::uint64_t>(of_cells));
            Counted& one = all.emplace_back();
            one.counts = std::move(of_cells);
            if (histogram.shape.weights == 0) continue;
            const auto words = static_cast<std::size_t>(histogram.sum_words());
            const auto first = static_cast<std::size_t>(histogram.sums - sums_.data());
            const auto of_weights =
                first_of_sums(sums.values().subspan(first, at(executors()) * words), words);
            const std::vector<double> of_all = sums_of_ranks(world, of_weights);
            for (auto next = of_all.begin(); next != of_all.end(); next += histogram.shape.cells())
                one.sums.emplace_back(next, next + histogram.shape.cells());
        }
        return all;
    }

  private:
    // The number of executors that count for themselves, and the number of all their counts of a cell.
    int executors() const { return Device::streams ? 1 : trip_.device().executors(); }
    int counters() const { return Device::streams ? 1 : Histogram<Real>::copies * executors(); }

    RoundTrip<Device, Real>& trip_;
    std::vector<Histogram<Real>> histograms_;
    device::Buffer<std::uint64_t, Memory> counts_, sums_;
};

// A program while it runs, with its memory on the device.
template <class Device, class Real> class Running {
    using Memory = typename Device::Memory;

  public:
    Running(RoundTrip<Device, Real>& trip, const Box& box, const Program& program, const Wanted& wanted,
            const Fields<Real>& fields)
        : trip_(trip), wanted_(wanted), fields_(fields),
          prepared_(trip.device(), box, in_order(program, wanted.of_rows())), steps_(prepared_.steps()),
          positions_(prepared_.get().positions), shifted_(prepared_.positions(box, {0.5, 0.5, 0.5})),
          all_(block_of(trip)), staging_(trip, wanted.values), inputs_(program.inputs, trip.layout()),
          histograms_(trip) {
        require_fitting();
        inputs_.refer_to(fields.named_fields);
        make_fluxes(program);
        make_rows();
        histograms_.make(wanted_.histograms, all_.points());
        make_measured();
    }

    Found run(const exchange::Communicator& world, bool shifts, const BlockCallback<Real>& consume) {
        const BlockCallback<Real> call = staging_.consumer(consume);
        const BlockCallback<Real> at_batch = [&](const PhysicalBlock& block, Real* values) {
            if constexpr (Device::streams) {
                measure_rows(block);
                if (block.points() > 0)
                    histograms_.count(measured_.data() + wanted_.of_rows() * block.points(), block.points());
            }
            if (wanted_.values > 0) call(block, values);
        };
        trip_.shift({0.0, 0.0, 0.0});
        shifts = shifts && wanted_.products > 0;
        wanted_.products > 0 ? pass<true>(wanted_, shifts ? 0.5 : 1.0, false, &at_batch)
                             : pass<false>(wanted_, 1.0, false, &at_batch);
        if (shifts) {
            positions_ = shifted_;
            trip_.shift({0.5, 0.5, 0.5});
            pass<true>({0, 0, wanted_.products, 0, {}, {}}, 0.5, true, nullptr);
            trip_.shift({0.0, 0.0, 0.0});
        }
        trip_.device().finish();
        return of_rows(world);
    }

  private:
    // Makes room for the largest batch of the values of which means, maxima and histograms are made.
    void make_measured() {
        PhysicalBlock largest = all_;
        largest.z = {0, trip_.layout().largest_point_batch()};
        const int components = Device::streams ? wanted_.of_rows() + wanted_.histogram_operands() : 0;
        measured_ = device::Buffer<Real, Memory>(static_cast<std::size_t>(components * largest.points()));
    }
    std::int64_t rows() const { return 1LL * all_.z.size() * all_.y.size(); }
    std::size_t row_count() const { return static_cast<std::size_t>(rows()); }

    void require_fitting() const {
        const int results = static_cast<int>(steps_.results.size());
        WHORL_REQUIRE(results == wanted_.results() && steps_.inputs > 0,
                      "a program has " + std::to_string(results) + " results and " +
                          std::to_string(steps_.inputs) + " inputs, which do not fit what is wanted.");
        for (const int axis : wanted_.planes)
            WHORL_REQUIRE((axis == 1 || axis == 2) && wanted_.of_all() >= 0,
                          "means over planes are means, across y or z.");
        for (const HistogramShape& shape : wanted_.histograms)
            WHORL_REQUIRE(shape.fits(), "a histogram has an unknown shape, or more cells than " +
                                            std::to_string(HistogramShape::most_cells) + ".");
        for (int p = 0; p < wanted_.products; ++p)
            WHORL_REQUIRE(steps_.results[at(wanted_.of_rows() + p)] >= steps_.inputs,
                          "a product of a program is one of its inputs.");
    }

    // Sorts the products, which are results, into the order of the fluxes.
    static Program in_order(Program program, int first_product) {
        const std::vector<int> results = program.results;
        const auto product = [&](int p) { return at(first_product + p); };
        if (results.size() < product(static_cast<int>(program.products.size()))) return program;
        for (int to = 0; const Flux& flux : fluxes_of(program.products))
            for (const int from : flux.products) program.results[product(to++)] = results[product(from)];
        return program;
    }
    void make_fluxes(const Program& program) {
        int first = 0;
        for (const Flux& flux : fluxes_of(program.products)) {
            AnyFlux<Real>& one = fluxes_.emplace_back();
            one.first = first;
            one.count = static_cast<int>(flux.products.size());
            one.flux.field = fields_.products[at(flux.field)];
            one.flux.i_power = flux.i_power;
            one.flux.power = flux.power;
            // The last flux of a field is stored first, and the others are added to it.
            for (AnyFlux<Real>& before : fluxes_)
                before.flux.adds =
                    &before != &one && (before.flux.adds || before.flux.field == one.flux.field);
            for (int v = 0; v < one.count; ++v) {
                const int product = flux.products[at(v)];
                const auto& [field, factor, derivatives, parity] = program.products[at(product)];
                one.flux.parts[at(v)] = {static_cast<Real>(flux.factors[at(v)]), derivatives[0],
                                         derivatives[1], Parity{parity[0], parity[1], parity[2]}};
            }
            first += one.count;
        }
    }

    void make_rows() {
        of_rows_ = device::Buffer<double>(at(wanted_.of_rows()) * row_count());
        std::ranges::fill(of_rows_.values().subspan(at(wanted_.means) * row_count()), lowest);
        if constexpr (Device::streams) on_device_ = device::Buffer<double, Memory>(of_rows_.size());
    }

    template <bool with_products>
    void pass(const Wanted& wanted, double weight, bool adds, const BlockCallback<Real>* at_batch) {
        for (auto& [flux, first, count] : fluxes_) {
            flux.weight = static_cast<Real>(weight);
            flux.adds = flux.adds || adds;
        }
        ProgramPass<Real, with_products> pass;
        static_cast<LinearInput<Real>&>(pass) = *inputs_.on_host();
        pass.interpreter = prepared_.get();
        pass.interpreter.positions = positions_;
        // Results that are not wanted this time come before those that are.
        pass.outcome.results = prepared_.results() + (wanted_.of_rows() - wanted.of_rows());
        pass.outcome.means = wanted.means;
        pass.outcome.maxima = wanted.maxima;
        pass.outcome.products = wanted.products;
        pass.outcome.values = wanted.values;
        pass.outcome.histogram_operands = wanted.histogram_operands();
        pass.outcome.histograms = histograms_.data();
        pass.outcome.histogram_count = static_cast<int>(wanted.histograms.size());
        pass.outcome.array = {staging_.points.data(), all_};
        pass.outcome.measured = {measured_.data(), all_};
        pass.outcome.of_rows = of_rows_.data();
        pass.outcome.all = all_;
        pass.linear_inputs = inputs_.on_host();
        pass.product_fluxes = fluxes_.data();
        pass.flux_count = with_products ? static_cast<int>(fluxes_.size()) : 0;
        if constexpr (with_products) pass.first_flux = fluxes_.front().template of<1>();
        pass.at_batch = at_batch;
        trip_.run(pass);
    }

    void measure_rows(const PhysicalBlock& block) {
        if (wanted_.of_rows() == 0 || block.points() == 0) return;
        const MeasureRows<Real> kernel{measured_.data(),
                                       on_device_.data(),
                                       1LL * (block.z.begin - all_.z.begin) * all_.y.size(),
                                       1LL * block.z.size() * block.y.size(),
                                       rows(),
                                       block.nx,
                                       wanted_.means};
        trip_.device().over(wanted_.of_rows() * kernel.groups(), kernel);
        trip_.device().finish();
    }

    Found of_rows(const exchange::Communicator& world) {
        if constexpr (Device::streams)
            Memory::to_host(of_rows_.data(), on_device_.data(), on_device_.bytes());
        return {means(world), maxima(world), histograms_.found(world), planes(world)};
    }
    std::span<const double> rows_of(int number) const {
        return std::span(of_rows_.data(), of_rows_.size()).subspan(at(number) * row_count(), row_count());
    }
    std::vector<double> means(const exchange::Communicator& world) {
        const exchange::Watchdog::Scope watched(trip_.exchanges().watchdog(), "sum of what was measured", -1);
        const Layout& layout = trip_.layout();
        const double points = 1.0 * layout.nx * layout.ny * layout.nz;
        std::vector<std::uint64_t> words;
        for (int m = 0; m < wanted_.of_all(); ++m) {
            ExactSum sum;
            for (const double of_row : rows_of(m)) sum.add(of_row);
            words.insert(words.end(), sum.words().begin(), sum.words().end());
        }
        std::vector<double> found = sums_of_ranks(world, words);
        for (double& one : found) one /= points;
        return found;
    }
    std::vector<std::vector<double>> planes(const exchange::Communicator& world) {
        const exchange::Watchdog::Scope watched(trip_.exchanges().watchdog(), "sum of what was measured", -1);
        const Layout& layout = trip_.layout();
        const auto count = [&](int axis) { return axis == 1 ? layout.ny : layout.nz; };
        std::vector<std::uint64_t> words;
        for (int m = wanted_.of_all(); const int axis : wanted_.planes) {
            std::vector<ExactSum> sums(at(count(axis)));
            auto row = rows_of(m++).begin();
            for (int z = all_.z.begin; z < all_.z.end; ++z)
                for (int y = all_.y.begin; y < all_.y.end; ++y) sums[at(axis == 1 ? y : z)].add(*row++);
            for (ExactSum& sum : sums) words.insert(words.end(), sum.words().begin(), sum.words().end());
        }
        const std::vector<double> sums = sums_of_ranks(world, words);
        std::vector<std::vector<double>> found;
        for (auto next = sums.begin(); const int axis : wanted_.planes) {
            auto& profile = found.emplace_back(next, next + count(axis));
            for (double& one : profile) one /= 1.0 * layout.nx * (axis == 1 ? layout.nz : layout.ny);
            next += count(axis);
        }
        return found;
    }
    std::vector<double> maxima(const exchange::Communicator& world) {
        std::vector<double> found;
        for (int m = 0; m < wanted_.maxima; ++m) {
            double largest = lowest;
            for (const double of_row : rows_of(wanted_.means + m)) largest = larger(largest, of_row);
            found.push_back(largest);
        }
        if (found.empty()) return found;
        const exchange::Watchdog::Scope watched(trip_.exchanges().watchdog(), "maximum of what was measured",
                                                -1);
        world.maximum(found);
        for (double& one : found) one += 0.0; // which of 0 and -0 is met last depends on the order
        return found;
    }

    RoundTrip<Device, Real>& trip_;
    Wanted wanted_;
    const Fields<Real>& fields_;
    PreparedInterpreter<Device, Real> prepared_;
    const Steps& steps_;
    Positions positions_, shifted_;
    PhysicalBlock all_;
    Staging<Device, Real> staging_;
    LinearInputs<Memory, Real> inputs_;
    std::vector<AnyFlux<Real>> fluxes_;
    device::Buffer<double> of_rows_; // [mean or maximum][z][y] of the rank
    device::Buffer<double, Memory> on_device_;
    device::Buffer<Real, Memory> measured_;
    RunningHistograms<Device, Real> histograms_;
};

} // namespace

template <class Device, class Real>
Found evaluate(RoundTrip<Device, Real>& trip, const exchange::Communicator& world, const Box& box,
               const Program& program, const Wanted& wanted, const Fields<Real>& fields, bool shifts,
               const BlockCallback<Real>& consume) {
    return Running<Device, Real>(trip, box, program, wanted, fields).run(world, shifts, consume);
}

#define WHORL_INSTANTIATE(Real)                                                                              \
    template Found evaluate(RoundTrip<device::Chosen, Real>&, const exchange::Communicator&, const Box&,     \
                            const Program&, const Wanted&, const Fields<Real>&, bool,                        \
                            const BlockCallback<Real>&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl::programs

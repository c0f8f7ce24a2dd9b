// Compiled once for each device.
#include <string>

#include "base/error.hpp"
#include "device/chosen.hpp"
#include "device/row_plan.hpp"
#include "programs/evaluate.hpp"
#include "programs/increment_pass.hpp"
#include "programs/interpreter.hpp"
#include "programs/loads_on_streams.hpp"
#include "programs/on_host.hpp"
#include "programs/program_parts.hpp"
#include "roundtrip/run.hpp"

namespace whorl::programs {

namespace {

void require_fitting(const IncrementsWanted& wanted, const Steps& steps, const Layout& layout) {
    const int quantities = static_cast<int>(steps.results.size());
    WHORL_REQUIRE(layout.nx > 1 && !layout.walls[0],
                  "structure functions are along an axis with several points and without walls.");
    WHORL_REQUIRE(quantities > 0 && steps.inputs > 0 && !wanted.separations.empty(),
                  "structure functions need a quantity, an input and a separation.");
    WHORL_REQUIRE(wanted.order >= 1 && wanted.order <= highest_order,
                  "structure functions are of orders 1 to " + std::to_string(highest_order) + ", not " +
                      std::to_string(wanted.order) + ".");
    for (const int separation : wanted.separations)
        WHORL_REQUIRE(separation >= 1 && separation < layout.nx,
                      "a separation of " + std::to_string(separation) + " points is not between 1 and " +
                          std::to_string(layout.nx - 1) + ".");
    for (const auto& pair : wanted.pairs)
        for (const int quantity : pair)
            WHORL_REQUIRE(quantity >= 0 && quantity < quantities, "a mixed moment is of quantity " +
                                                                      std::to_string(quantity) + " of " +
                                                                      std::to_string(quantities) + ".");
}

template <class Device, class Real> class RunningIncrements {
    using Memory = typename Device::Memory;

  public:
    RunningIncrements(RoundTrip<Device, Real>& trip, const Box& box, const Program& program,
                      const IncrementsWanted& wanted, const std::vector<NamedField<Real>>& named_fields)
        : trip_(trip), wanted_(wanted), prepared_(trip.device(), box, program),
          inputs_(program.inputs, trip.layout()), separations_(wanted.separations), pairs_(wanted.pairs) {
        require_fitting(wanted, prepared_.steps(), trip.layout());
        inputs_.refer_to(named_fields);
        shape_ = {static_cast<int>(prepared_.steps().results.size()), wanted.order,
                  static_cast<int>(wanted.pairs.size()), static_cast<int>(wanted.separations.size())};
        const int copies = Device::streams ? 1 : trip.device().executors();
        totals_of_ = {shape_, separations_.data(), pairs_.data(), nullptr};
        words_ = device::Buffer<std::uint64_t, Memory>(
            static_cast<std::size_t>(copies * totals_of_.sums() * IncrementTotals::words));
        totals_of_.totals = words_.data();
        Device::streams ? make_batches() : make_rows();
    }

    std::vector<std::vector<double>> run(const exchange::Communicator& world) {
        const BlockCallback<Real> at_batch = [&](const PhysicalBlock& block, Real* values) {
            if constexpr (Device::streams) sum_batch(block, values);
        };
        IncrementPass<Real> pass;
        static_cast<LinearInput<Real>&>(pass) = *inputs_.on_host();
        pass.interpreter = prepared_.get();
        pass.results = prepared_.results();
        pass.linear_inputs = &*inputs_.on_host();
        pass.totals = totals_of_;
        pass.collected = collected_.data();
        pass.nx = trip_.layout().nx;
        pass.quantities = {values_.data(), block_of(trip_)};
        pass.at_batch = &at_batch;
        trip_.shift({0.0, 0.0, 0.0});
        trip_.run(pass);
        trip_.device().finish();
        return means(world);
    }

  private:
    void make_rows() {
        const auto& layout = trip_.layout();
        const auto of_executor = static_cast<std::size_t>(1LL * shape_.quantities * layout.nx *
                                                          CollectedRows::pitch(device::RowPlan<Real>::rows));
        rows_ = device::Buffer<double>(of_executor * static_cast<std::size_t>(trip_.device().executors()));
        for (int e = 0; e < trip_.device().executors(); ++e)
            collected_.push_back({rows_.data() + static_cast<std::size_t>(e) * of_executor, 0});
    }
    void make_batches() {
        PhysicalBlock largest = block_of(trip_);
        largest.z = {0, trip_.layout().largest_point_batch()};
        values_ =
            device::Buffer<Real, Memory>(static_cast<std::size_t>(shape_.quantities * largest.points()));
        of_rows_ = device::Buffer<double, Memory>(
            static_cast<std::size_t>(totals_of_.sums() * largest.z.size() * largest.y.size()));
    }
    void sum_batch(const PhysicalBlock& block, const Real* values) {
        const std::int64_t rows = 1LL * block.z.size() * block.y.size();
        if (rows == 0) return;
        trip_.device().over(rows,
                            SumRowIncrements<Real>{totals_of_, values, of_rows_.data(), rows, block.nx});
        trip_.device().finish();
        trip_.device().over(shape_.separations, AddRowIncrements{totals_of_, of_rows_.data(), rows});
        trip_.device().finish();
    }

    std::vector<std::vector<double>> means(const exchange::Communicator& world) {
        const OnHost of_executors(words_);
        const auto total = first_of_sums(
            of_executors.values(), static_cast<std::size_t>(totals_of_.sums() * IncrementTotals::words));
        const exchange::Watchdog::Scope watched(trip_.exchanges().watchdog(), "sum of what was measured", -1);
        std::vector<double> of_all = sums_of_ranks(world, total);
        const Layout& layout = trip_.layout();
        for (double& one : of_all) one /= 1.0 * layout.nx * layout.ny * layout.nz;
        std::vector<std::vector<double>> found;
        for (auto next = of_all.begin(); next != of_all.end(); next += shape_.moments())
            found.emplace_back(next, next + shape_.moments());
        return found;
    }

    RoundTrip<Device, Real>& trip_;
    const IncrementsWanted& wanted_;
    PreparedInterpreter<Device, Real> prepared_;
    LinearInputs<Memory, Real> inputs_;
    device::Table<int, Memory> separations_;
    device::Table<std::array<int, 2>, Memory> pairs_;
    IncrementShape shape_;
    IncrementTotals totals_of_;
    device::Buffer<std::uint64_t, Memory> words_;
    device::Buffer<double> rows_;            // on threads
    std::vector<CollectedRows> collected_;   // the same
    device::Buffer<Real, Memory> values_;    // on a GPU
    device::Buffer<double, Memory> of_rows_; // the same
};

} // namespace

template <class Device, class Real>
std::vector<std::vector<double>> increments(RoundTrip<Device, Real>& trip,
                                            const exchange::Communicator& world, const Box& box,
                                            const Program& program, const IncrementsWanted& wanted,
                                            const std::vector<NamedField<Real>>& named_fields) {
    return RunningIncrements<Device, Real>(trip, box, program, wanted, named_fields).run(world);
}

#define WHORL_INSTANTIATE(Real)                                                                              \
    template std::vector<std::vector<double>> increments(                                                    \
        RoundTrip<device::Chosen, Real>&, const exchange::Communicator&, const Box&, const Program&,         \
        const IncrementsWanted&, const std::vector<NamedField<Real>>&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl::programs

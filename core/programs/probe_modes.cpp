// Compiled once for each device.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "device/chosen.hpp"
#include "programs/probes.hpp"
#include "programs/program_parts.hpp"
#include "roundtrip/roundtrip.hpp"

namespace whorl::programs {

namespace {

// A mode among the rank's own, or its opposite.
struct StoredMode {
    int i, j, l; // among the rank's own kx, ky, kz
    int number;  // of the probe's modes
    bool opposite;
};

// values[input][mode] of the rank's own modes; a row is an input.
template <class Real> struct GatherModes {
    ModeTables<Real> tables;
    const LinearInput<Real>* inputs;
    const StoredMode* stored;
    Complex<double>* values;
    int count, length; // of all modes, and of the rank's own

    struct Row {
        const GatherModes& of;
        std::int64_t input;
        int length;
        WHORL_INLINE void operator()(std::int64_t s) const {
            const StoredMode at = of.stored[s];
            Complex<Real> a;
            of.inputs[input].load(of.tables.mode(at.i, at.j, at.l, of.tables.row(at.j, at.l).offset), &a);
            const Complex<double> wide = widened(a);
            // A field that is odd about a wall changes its sign with that of k along it.
            const double sign = of.inputs[input].parity.sines() % 2 == 1 ? -1.0 : 1.0;
            of.values[input * of.count + at.number] = at.opposite ? sign * conjugate(wide) : wide;
        }
    };
    WHORL_INLINE Row row(std::int64_t input) const { return {*this, input, length}; }
};

template <class Device, class Real> class ModeProbe final : public Probe<Real> {
    using Memory = typename Device::Memory;

  public:
    ModeProbe(RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
              const Truncation& truncation, const InputTerms& inputs, const std::vector<ModeNumbers>& modes)
        : trip_(trip), world_(world), inputs_(inputs, trip.layout()), count_(static_cast<int>(modes.size())) {
        for (int n = 0; n < count_; ++n) add(truncation, modes[static_cast<std::size_t>(n)], n);
        table_ = device::Table<StoredMode, Memory>(stored_);
        values_ = device::Buffer<Complex<double>, Memory>(inputs.size() * modes.size());
    }
    std::size_t size() const override { return 2 * values_.size(); }
    void read(const std::vector<NamedField<Real>>& named_fields, std::span<double> values) override {
        inputs_.refer_to(named_fields);
        const GatherModes<Real> kernel{trip_.modes(),  inputs_.data(), table_.data(),
                                       values_.data(), count_,         static_cast<int>(stored_.size())};
        if (kernel.length > 0) trip_.device().for_each(0, inputs_.count(), kernel);
        trip_.device().finish();
        Memory::to_host(values.data(), values_.data(), values_.bytes());
        const exchange::Watchdog::Scope watched(trip_.exchanges().watchdog(), "sum of a probe", -1);
        world_.sum(values);
    }

  private:
    // Adds the place of the mode, or of its opposite, if it is among the rank's own.
    void add(const Truncation& truncation, ModeNumbers n, int number) {
        const auto refused = [&] {
            return "there is no mode (" + std::to_string(n[0]) + ", " + std::to_string(n[1]) + ", " +
                   std::to_string(n[2]) + ").";
        };
        const auto [x, y, z] = n;
        for (int axis = 0; axis < 3; ++axis)
            WHORL_REQUIRE(!truncation.wall(axis) || n[static_cast<std::size_t>(axis)] >= 0, refused());
        WHORL_REQUIRE(truncation.kept(x, y, z), refused());
        const bool opposite = x < 0;
        const auto stored = [&](int of, int axis) { return opposite && !truncation.wall(axis) ? -of : of; };
        const int nz = trip_.table().nz(), kz = stored(z, 2);
        const Dealt own_x = trip_.table().kx();
        const std::vector<int> own_y = trip_.table().signed_ky(truncation);
        const int i = own_x.below(std::abs(x));
        const auto j = std::find(own_y.begin(), own_y.end(), stored(y, 1));
        if (i == own_x.size() || own_x.at(i) != std::abs(x) || j == own_y.end()) return;
        stored_.push_back({i, static_cast<int>(j - own_y.begin()), kz < 0 ? kz + nz : kz, number, opposite});
    }

    RoundTrip<Device, Real>& trip_;
    const exchange::Communicator& world_;
    LinearInputs<Memory, Real> inputs_;
    int count_;
    std::vector<StoredMode> stored_;
    device::Table<StoredMode, Memory> table_;
    device::Buffer<Complex<double>, Memory> values_;
};

} // namespace

template <class Device, class Real>
std::unique_ptr<Probe<Real>> probe_modes(RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
                                         const Truncation& truncation, const InputTerms& inputs,
                                         const std::vector<ModeNumbers>& modes) {
    return std::make_unique<ModeProbe<Device, Real>>(trip, world, truncation, inputs, modes);
}

#define WHORL_INSTANTIATE(Real)                                                                              \
    template std::unique_ptr<Probe<Real>> probe_modes(RoundTrip<device::Chosen, Real>&,                      \
                                                      const exchange::Communicator&, const Truncation&,      \
                                                      const InputTerms&, const std::vector<ModeNumbers>&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl::programs

// The options of a flow, set by Python.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "device/compiled.hpp"
#include "device/cpu.hpp"
#include "exchange/transport.hpp"
#include "forcing/source.hpp"
#include "grid/pencils.hpp"
#include "particles/memory.hpp"
#include "programs/needs.hpp"
#include "steppers/scheme.hpp"

namespace whorl {

namespace equations {
struct Plan;
}

// A passive scalar: its name, then diffusivity and mean gradient x, y, z.
using NamedScalar = std::pair<std::string, std::array<double, 4>>;

// See whorl.config.case for units and ranges. Options of the sections grid and run of a case are passed by
// name (run/core_options.py).
struct Options {
    std::string model = "navier-stokes";
    std::string device = "cpu";
    std::string precision = declared::choices::precision.front();
    std::array<int, 3> points{64, 64, 64};
    std::array<double, 3> lengths{};
    std::string bases = declared::choices::bases.front(); // of z, y, x: F periodic, S between free-slip walls
    std::string dealias = declared::dealiasings.front().name;
    std::string shape = declared::choices::shape.front();
    Scheme scheme; // needed for step() only
    std::string linear =
        declared::choices::linear.front(); // "exact": linear coupling in the integrating factor
    std::map<std::string, double> parameters;
    std::shared_ptr<equations::Plan> equations; // of the model "equations"
    std::vector<NamedScalar> scalars;
    std::vector<forcing::SourceOptions> forcing;
    // The needs of the programs, probes and particles of a run, for the estimate of memory and the width of
    // round trips.
    std::vector<programs::ProgramNeeds> programs;
    std::vector<programs::ProbeNeeds> probes;
    std::vector<particles::ParticleNeeds> particles;
    std::array<int, 2> process_grid{0, 0}; // (0, 0): automatic
    int batches = 0;                       // 0: automatic
    int threads = 0;                       // 0: OpenMP's default
    std::string transport = declared::transports.front().name;
    std::string gpu_aware = declared::choices::gpu_aware.front();
    std::string wire = declared::choices::wire.front();
    std::string threading = declared::choices::threading.front();
    int variables_per_message = 0;                        // 0: all
    double exchange_timeout = 0.0;                        // seconds; 0: none
    std::string lines = declared::choices::lines.front(); // roundtrip/line_choice.hpp
    std::int64_t second_cache = 0; // bytes of a core or, on streams, of a GPU; 0: as the machine's or planned
    int planes = 0;                // at a time on streams; 0: as many as plane_bytes have room for
    std::int64_t plane_bytes = 0;  // of a stream; 0: the flow finds the faster (roundtrip/plane_trials.hpp)
    // Bytes of memory that a block of threads shares on the GPUs, for the estimate of memory; at most the
    // default.
    std::int64_t block_memory = device::planned_block_memory;
    int lane_bytes = 0, block_threads = 0, block_pairs = 0; // device::BlockChoice
    std::uint64_t shift_seed = 0;

    Box box() const { return {points, lengths, parse_bases(bases)}; }
    exchange::TransportOptions transport_options() const {
        return {transport, wire, threading, variables_per_message, device::Cpu(threads).executors()};
    }
    std::int64_t cache() const;
    // Throws Error unless precision is "single" or "double".
    bool is_double() const;
    // Throws Error unless linear is "explicit" or "exact".
    bool is_exact() const;
    // Throws Error naming the parameter if it is not given.
    double parameter(const std::string& name) const;
    std::array<double, 3> vector_parameter(const std::string& name) const;
    // Throws Error naming a given parameter that the model has not read, since it would be ignored.
    void check_parameters() const;
    // Throws Error if the box, the dealiasing or the shape is impossible.
    Truncation truncation() const;
    ProcessGrid choose_grid(int ranks) const;
    int choose_batches(ProcessGrid grid) const;

  private:
    mutable std::set<std::string> asked_; // parameters
};

// Points of a batch that fills a GPU.
inline constexpr std::int64_t points_of_batch = std::int64_t{1} << 24;

// Calls use(name, member) for each option; Python uses the same names.
template <class Use> void each_option(const Use& use) {
    use("model", &Options::model);
    use("device", &Options::device);
    use("precision", &Options::precision);
    use("points", &Options::points);
    use("lengths", &Options::lengths);
    use("bases", &Options::bases);
    use("dealias", &Options::dealias);
    use("shape", &Options::shape);
    use("scheme", &Options::scheme);
    use("linear", &Options::linear);
    use("parameters", &Options::parameters);
    use("equations", &Options::equations);
    use("scalars", &Options::scalars);
    use("forcing", &Options::forcing);
    use("programs", &Options::programs);
    use("probes", &Options::probes);
    use("particles", &Options::particles);
    use("process_grid", &Options::process_grid);
    use("batches", &Options::batches);
    use("threads", &Options::threads);
    use("transport", &Options::transport);
    use("gpu_aware", &Options::gpu_aware);
    use("wire", &Options::wire);
    use("threading", &Options::threading);
    use("variables_per_message", &Options::variables_per_message);
    use("exchange_timeout", &Options::exchange_timeout);
    use("lines", &Options::lines);
    use("second_cache", &Options::second_cache);
    use("planes", &Options::planes);
    use("plane_bytes", &Options::plane_bytes);
    use("block_memory", &Options::block_memory);
    use("lane_bytes", &Options::lane_bytes);
    use("block_threads", &Options::block_threads);
    use("block_pairs", &Options::block_pairs);
    use("shift_seed", &Options::shift_seed);
}

} // namespace whorl

#include "flow/flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "device/buffer.hpp"
#include "device/compiled.hpp"
#include "device/line_plan.hpp"
#include "exchange/transport.hpp"
#include "flow/trip_options.hpp"
#include "forcing/forced_modes.hpp"
#include "grid/row_table.hpp"
#include "measure/superfluid.hpp"
#include "particles/memory.hpp"
#include "programs/memory.hpp"
#include "roundtrip/workspace.hpp"

namespace whorl {

int ModelShape::field_count() const {
    int count = 0;
    for (const auto& [name, components] : fields) count += components;
    return count;
}

namespace {
int widest(const FieldList& fields) {
    int most = 0;
    for (const auto& [name, components] : fields) most = std::max(most, components);
    return most;
}

// Adds passive scalars to the shape of the model that carries them.
void add_scalars(const std::vector<NamedScalar>& scalars, ModelShape& shape) {
    for (const auto& [name, constants] : scalars) {
        shape.fields.emplace_back(name, 1);
        shape.outputs.emplace_back(name, 1);
        for (const char* part : scalar_measures) shape.statistics.push_back(name + "_" + part);
        shape.spectra.push_back(name + "_" + scalar_measures[0]);
    }
    const auto count = static_cast<int>(scalars.size());
    shape.products = std::max(shape.inputs, shape.products) + 3 * count;
    shape.inputs += count;
    shape.fluxes += 2 * count;
}

// The axes along which each component is a sum of sines.
std::vector<std::string> sines_of(const Output& output) {
    std::vector<std::string> sines(static_cast<std::size_t>(output.components));
    for (std::size_t v = 0; v < sines.size(); ++v)
        for (const int axis : {0, 1, 2})
            if (output.parities[v].odd(axis)) sines[v] += "xyz"[axis];
    return sines;
}

// Adds the names of the statistics and spectra of a state.
void add_measures(const Declaration& model, ModelShape& shape) {
    for (const char* name : model.sums) shape.statistics.emplace_back(name);
    for (const char* name : model.maxima) shape.statistics.emplace_back(name);
    for (const int which : model.spectra)
        shape.spectra.emplace_back(model.sums[static_cast<std::size_t>(which)]);
    if (model.loses_to_field) shape.statistics.emplace_back("lorentz_work");
    if (!model.is_wave_function) return;
    shape.measured = inputs_of_wave_function;
    for (const char* name : superfluid_statistics) shape.statistics.emplace_back(name);
    for (const int which : {0, 1})
        shape.spectra.emplace_back(superfluid_statistics[static_cast<std::size_t>(which)]);
}
} // namespace

ModelShape shape_of(const Declaration& model, const Options& options) {
    ModelShape shape;
    shape.inputs = model.inputs;
    shape.products = model.products;
    shape.fluxes = model.fluxes;
    shape.inner_fields = model.inner_fields;
    for (const FieldGroup& group : model.groups) shape.fields.emplace_back(group.name, group.components);
    for (const Output& output : model.outputs) {
        shape.outputs.emplace_back(output.name, output.components);
        shape.sines[output.name] = sines_of(output);
    }
    add_measures(model, shape);
    WHORL_REQUIRE(options.scalars.empty() || model.has_velocity,
                  "model " + options.model +
                      " has no velocity that could carry passive scalars; leave them out.");
    if (!options.scalars.empty()) add_scalars(options.scalars, shape);
    return shape;
}

int ModelShape::column_variables() const { return std::max({inputs, fluxes, widest(outputs), measured}); }
int ModelShape::row_variables() const { return std::max({inputs, products, widest(outputs), measured}); }

namespace {

// Searches along the boundary of the truncation: the rows of a ky become shorter as |kz| grows.
double find_largest_wavenumber(const Box& box, const Truncation& truncation) {
    const auto square = [&](int axis, int n) { return std::pow(n * box.unit(axis), 2); };
    double largest = 0.0;
    for (int y = 0; y <= truncation.extent(1); ++y) {
        int x = truncation.column_length(y) - 1;
        for (int z = 0; z <= truncation.extent(2); ++z) {
            while (x >= 0 && !truncation.kept(x, y, z)) --x;
            if (x < 0) break;
            largest = std::max(largest, square(0, x) + square(1, y) + square(2, z));
        }
    }
    return std::sqrt(largest);
}

Options chosen(Options options, int ranks) {
    const ProcessGrid grid = options.choose_grid(ranks);
    options.process_grid = {grid.p_row, grid.p_col};
    options.batches = options.choose_batches(grid);
    return options;
}
} // namespace

Flow::Flow(const Options& options, int communicator)
    : options_(options), world_(communicator), truncation_(options.truncation()),
      largest_wavenumber_(find_largest_wavenumber(options.box(), truncation_)) {
    const exchange::TransportOptions transport = options.transport_options();
    // Only the device knows whether it has transports of GPUs.
    if (!exchange::traits_of(transport).of_gpus) exchange::transport_maker(transport);
    options_ = chosen(options, world_.size());
}

double Flow::resolved_wavenumber() const {
    const Box box = options_.box();
    double smallest = std::numeric_limits<double>::infinity();
    for (int axis = 0; axis < 3; ++axis)
        if (box.points[static_cast<std::size_t>(axis)] > 1)
            smallest = std::min(smallest, truncation_.extent(axis) * box.unit(axis));
    return smallest;
}

namespace {

// All ranks if they are few. Otherwise four ranks, one of which needs nearly the most memory. They have the
// most columns, the longest columns (near the axis of a sphere), or the most planes and rows (the last ranks
// have the remainder).
std::vector<int> candidates(const Pencils& pencils) {
    constexpr int few = 64;
    const ProcessGrid grid = pencils.grid();
    std::vector<int> all(static_cast<std::size_t>(grid.p_row * grid.p_col));
    std::iota(all.begin(), all.end(), 0);
    const int ranks = static_cast<int>(all.size());
    if (ranks <= few) return all;
    const auto columns = [&](int rank) { return pencils.columns(rank % grid.p_row, rank / grid.p_row); };
    const int fullest = std::ranges::max(all, {}, columns);
    return {fullest, 0, ranks - grid.p_row, ranks - 1};
}

// The bytes of all sources. Each has the tables of its modes, the field at these modes and the force
// (steppers/forces.hpp). A rank has at most all modes of the band; a field that is given at the points may
// have all modes of the rank.
std::int64_t forcing_bytes(const Options& options, const ModelShape& shape, std::int64_t value,
                           std::int64_t modes) {
    std::int64_t bytes = 0;
    for (const forcing::SourceOptions& source : options.forcing) {
        std::int64_t forced = 0;
        if (source.number("dense", 0.0) != 0.0) forced = modes;
        if (source.has("k_max"))
            forced =
                std::min(modes, forcing::count_modes(source.band(), options.box(), options.truncation()));
        int components = 1;
        for (const FieldList* fields : {&shape.outputs, &shape.fields})
            for (const auto& [name, count] : *fields)
                if (name == source.field) components = count;
        const std::int64_t tables = sizeof(std::int64_t) + sizeof(int) + 2 * value;
        bytes += forced * (tables + 2 * components * value);
    }
    return bytes;
}

int executors_of(const Options& options) {
    return device::has_streams(options.device) ? device::stream_count
                                               : device::Cpu(options.threads).executors();
}

// The arrays of a round trip.
std::map<std::string, std::int64_t> trip_bytes(const Options& options, const Layout& layout,
                                               std::int64_t value, const LineChoice& lines) {
    const bool streams = device::has_streams(options.device);
    const Workspace workspace =
        streams ? Workspace::of_stream(layout, {value, lines.x, options.block_memory, options.planes,
                                                options.block_pairs, options.plane_bytes})
        : options.is_double() ? workspace_of_thread<double>(layout, lines, options.cache())
                              : workspace_of_thread<float>(layout, lines, options.cache());
    return {{"exchange", value * (layout.z_pencil_size + (layout.grid.p_col > 1 ? layout.y_pencil_size : 0))},
            {"row_buffers", value * (layout.row_y_size + layout.row_x_size)},
            {"workspace", value * executors_of(options) * workspace.size()},
            {"tables", table_bytes(layout, value, streams)}};
}

std::int64_t sum_of(const std::map<std::string, std::int64_t>& bytes) {
    std::int64_t total = 0;
    for (const auto& [name, part] : bytes) total += part;
    return total;
}

Layout layout_of(const Options& options, int rank, int column_variables, int row_variables) {
    const Pencils pencils(options.box(), options.truncation(),
                          {options.process_grid[0], options.process_grid[1]});
    return Layout(options.box(), options.truncation(), pencils, rank, options.batches, column_variables,
                  row_variables, exchange::traits_of(options.transport_options()),
                  device::has_streams(options.device));
}

// The bytes of runs on fewer points: their round trips, the state and the largest of the runs.
std::int64_t narrow_bytes(const Options& options, const programs::Share& share, int rank) {
    std::set<std::array<int, 3>> grids;
    for (const programs::ProgramNeeds& run : options.programs)
        if (run.is_narrow()) grids.insert(run.points());
    std::int64_t bytes = 0;
    for (const std::array<int, 3>& points : grids) {
        const Options there = narrowed(options, points);
        const auto [columns, rows] = programs::widest(there.programs);
        const Layout layout = layout_of(there, rank, columns, rows);
        const std::int64_t modes = count_modes(there.truncation(), layout.kx, layout.ky);
        const programs::Share of_rank{layout, modes, share.value, share.executors, share.streams};
        programs::MostOfRuns most;
        for (const programs::ProgramNeeds& run : there.programs) most.add(run, of_rank, of_rank);
        bytes += model_shape(options).field_count() * modes * share.value + most.bytes() +
                 sum_of(trip_bytes(there, layout, share.value, parse_line_choice(there.lines)));
    }
    return bytes;
}

// The bytes that programs and probes need at a time in addition to the step (flow/program_runs.cpp). They are
// those of a wider round trip if that of the step is too narrow, of those on fewer points, of the largest of
// the runs, and of all probes.
std::int64_t program_bytes(const Options& options, const programs::Share& share, int rank) {
    const Layout& layout = share.layout;
    const programs::Width width = programs::widest(options.programs);
    std::int64_t bytes = narrow_bytes(options, share, rank);
    programs::MostOfRuns most;
    LineChoice lines = parse_line_choice(options.lines); // with tiles like those of the step
    if (lines.columns == 0) lines.columns = tile_columns(layout, share.value, options.cache());
    if (!width.fits(layout))
        bytes += sum_of(
            trip_bytes(options, layout_of(options, rank, width.columns, width.rows), share.value, lines));
    for (const programs::ProbeNeeds& probe : options.probes) bytes += programs::bytes_of(probe, share);
    for (int axis = 0; axis < 3; ++axis) {
        const auto passes = [&](const programs::ProgramNeeds& run) {
            return run.axis == axis && !run.is_narrow();
        };
        if (std::ranges::none_of(options.programs, passes)) continue;
        const Options along = swapped(options, axis);
        const bool same = along.points == options.points && along.lengths == options.lengths;
        const Layout of_axis = same ? layout : layout_of(along, rank, width.columns, width.rows);
        programs::Share there{of_axis, share.modes, share.value, share.executors, share.streams};
        if (!same) there.modes = count_modes(along.truncation(), of_axis.kx, of_axis.ky);
        for (const programs::ProgramNeeds& run : options.programs)
            if (passes(run)) most.add(run, share, there);
        if (!same) bytes += sum_of(trip_bytes(along, of_axis, share.value, lines));
    }
    return bytes + most.bytes();
}

std::map<std::string, std::int64_t> memory_of(const Options& options, int rank) {
    const Truncation truncation = options.truncation();
    const ModelShape shape = model_shape(options);
    const bool streams = device::has_streams(options.device);
    const Layout layout = layout_of(options, rank, shape.column_variables(), shape.row_variables());
    const std::int64_t value = options.is_double() ? 16 : 8;
    const int registers = options.scheme.all_registers(truncation.dealiasing());
    const std::int64_t modes = count_modes(truncation, layout.kx, layout.ky);
    const programs::Share share{layout, modes, value, executors_of(options), streams};
    auto bytes = trip_bytes(options, layout, value, parse_line_choice(options.lines));
    bytes["state"] = value * registers * shape.field_count() * modes;
    bytes["inner_fields"] = value * shape.inner_fields * modes;
    bytes["forcing"] = forcing_bytes(options, shape, value, modes);
    bytes["programs"] = program_bytes(options, share, rank);
    bytes["particles"] = 0;
    for (const particles::ParticleNeeds& group : options.particles)
        bytes["particles"] +=
            particles::bytes_of(group, share) + (rank == 0 && !streams ? group.row_bytes : 0);
    return bytes;
}

} // namespace

std::map<std::string, std::int64_t> shares(const Options& options, std::array<int, 2> process_grid) {
    const auto [p_row, p_col] = process_grid;
    WHORL_REQUIRE(p_row > 0 && p_col > 0, "a process grid of " + std::to_string(p_row) + " x " +
                                              std::to_string(p_col) + " has no ranks.");
    const Pencils pencils(options.box(), options.truncation(), {p_row, p_col});
    int widest = 0;
    for (int r = 0; r < p_row; ++r) widest = std::max(widest, pencils.elements(r).size());
    return {{"elements", widest},
            {"columns", pencils.most_columns()},
            {"padded_columns", padded_columns(pencils.most_columns())},
            {"row_columns", pencils.most_row_columns()}};
}

std::map<std::string, std::int64_t> estimate_memory(const Options& given, int ranks) {
    const Options options = chosen(given, ranks);
    const Pencils pencils(options.box(), options.truncation(),
                          {options.process_grid[0], options.process_grid[1]});
    std::map<std::string, std::int64_t> largest;
    std::int64_t most = 0;
    for (const int rank : candidates(pencils)) {
        const auto bytes = memory_of(options, rank);
        const std::int64_t total = sum_of(bytes);
        if (total > most) largest = bytes;
        most = std::max(most, total);
    }
    return largest;
}

} // namespace whorl

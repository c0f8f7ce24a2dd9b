#include "bindings/flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "device/buffer.hpp"
#include "device/compiled.hpp"
#include "device/line_plan.hpp"
#include "exchange/transport.hpp"
#include "grid/row_table.hpp"
#include "roundtrip/workspace.hpp"

namespace whorl {

Truncation Options::truncation() const {
    check_box(box());
    const Dealias rule = parse_dealias(dealias);
    const Shape kept = parse_shape(shape);
    return Truncation(box(), rule, kept);
}

std::int64_t Options::cache() const { return second_cache > 0 ? second_cache : device::second_cache(); }

ProcessGrid Options::choose_grid(int ranks) const {
    if (process_grid[0] == 0 && process_grid[1] == 0) return choose_process_grid(box(), truncation(), ranks);
    const ProcessGrid grid{process_grid[0], process_grid[1]};
    WHORL_REQUIRE(grid.p_row >= 1 && grid.p_col >= 1,
                  "process grid " + std::to_string(grid.p_row) + " x " + std::to_string(grid.p_col) +
                      " is impossible: both numbers are 1 or more, or both 0 to have them chosen.");
    WHORL_REQUIRE(grid.p_row * grid.p_col == ranks,
                  "process grid " + std::to_string(grid.p_row) + " x " + std::to_string(grid.p_col) +
                      " is for " + std::to_string(grid.p_row * grid.p_col) + " ranks, but there are " +
                      std::to_string(ranks) + ".");
    return grid;
}

bool Options::is_double() const {
    WHORL_REQUIRE(precision == "single" || precision == "double",
                  "precision = \"" + precision + "\" is unknown; choose single or double.");
    return precision == "double";
}

bool Options::is_exact() const {
    WHORL_REQUIRE(linear == "explicit" || linear == "exact",
                  "linear = \"" + linear + "\" is unknown; choose explicit or exact.");
    return linear == "exact";
}

double Options::parameter(const std::string& name) const {
    asked_.insert(name);
    const auto found = parameters.find(name);
    WHORL_REQUIRE(found != parameters.end(), "model " + model + " needs the parameter " + name + ".");
    return found->second;
}

std::array<double, 3> Options::vector_parameter(const std::string& name) const {
    return {parameter(name + "_x"), parameter(name + "_y"), parameter(name + "_z")};
}

void Options::check_parameters() const {
    std::string known;
    for (const std::string& name : asked_) known += (known.empty() ? "" : ", ") + name;
    for (const auto& [name, value] : parameters)
        WHORL_REQUIRE(asked_.contains(name), "model " + model + " has no parameter " + name +
                                                 (known.empty() ? "" : ", but " + known) + ".");
}

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
} // namespace

int ModelShape::column_variables() const { return std::max({inputs, fluxes, widest(outputs), measured}); }
int ModelShape::row_variables() const { return std::max({inputs, products, widest(outputs), measured}); }

// Eight batches keep the row buffers, and the arrays fields are read through, at an eighth of the planes.
// What a batch costs whatever is in it, small ones do not earn.
int Options::choose_batches(ProcessGrid grid) const {
    // Ranks that exchange do best with a few planes at a time, which stay in cache on either side.
    constexpr int usual = 8, planes_of_batch = 4;
    constexpr std::int64_t fewest_points_of_batch = std::int64_t{1} << 17;
    // A batch that fills a GPU, and a few where there are exchanges to hide.
    constexpr std::int64_t points_of_batch = std::int64_t{1} << 24;
    const bool shares_planes = points[1] == 1 && grid.p_row > 1; // all at once
    const int own_planes = shares_planes ? 1 : std::max(1, points[2] / grid.p_col);
    const bool exchanges = grid.p_row * grid.p_col > 1;
    const std::int64_t own_points =
        own_planes * std::max<std::int64_t>(1, std::int64_t{points[0]} * points[1] / grid.p_row);
    const auto batches_of = [&](std::int64_t of_batch) { return (own_points + of_batch - 1) / of_batch; };
    std::int64_t chosen = exchanges ? std::max(usual, own_planes / planes_of_batch) : usual;
    chosen = std::min(chosen, batches_of(fewest_points_of_batch));
    if (device::has_queues(device))
        chosen = std::max<std::int64_t>(exchanges ? 4 : 1, batches_of(points_of_batch));
    return static_cast<int>(std::clamp<std::int64_t>(batches > 0 ? batches : chosen, 1, own_planes));
}

namespace {

// Along the edge of what is kept: the rows of a ky grow shorter as |kz| grows.
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
    exchange::transport_maker(options.transport_options());
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

// All ranks when they are few; else those of which one is the fullest but for little: by columns, by the
// length of its columns (those near the axis of a sphere), by planes and rows (the last take what is left
// over).
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

std::map<std::string, std::int64_t> memory_of(const Options& options, const Pencils& pencils, int rank) {
    const Box box = options.box();
    const Truncation truncation = options.truncation();
    const ModelShape shape = model_shape(options);
    const bool queues = device::has_queues(options.device);
    const Layout layout(box, truncation, pencils, rank, options.batches, shape.column_variables(),
                        shape.row_variables(), exchange::traits_of(options.transport_options()), queues);
    const std::int64_t value = options.is_double() ? 16 : 8;
    const int registers = find_scheme(options.scheme).all_registers(truncation.dealias());
    const LineChoice lines = parse_line_choice(options.lines);
    const Workspace workspace =
        queues ? Workspace::of_queue(layout, {value, lines.x, options.block_memory, options.planes})
        : options.is_double() ? workspace_of_thread<double>(layout, lines, options.cache())
                              : workspace_of_thread<float>(layout, lines, options.cache());
    const std::int64_t executors = queues ? device::queue_count : device::Cpu(options.threads).executors();
    return {
        {"state", value * registers * shape.field_count() * count_modes(truncation, layout.kx, layout.ky)},
        {"exchange", value * (layout.z_pencil_size + (layout.grid.p_col > 1 ? layout.y_pencil_size : 0))},
        {"row_buffers", value * (layout.row_y_size + layout.row_x_size)},
        {"workspace", value * executors * workspace.size()},
        {"tables", table_bytes(layout, value, queues)}};
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
            {"row_columns", pencils.most_row_columns()}};
}

std::map<std::string, std::int64_t> estimate_memory(const Options& given, int ranks) {
    const Options options = chosen(given, ranks);
    const Pencils pencils(options.box(), options.truncation(),
                          {options.process_grid[0], options.process_grid[1]});
    std::map<std::string, std::int64_t> largest;
    std::int64_t most = 0;
    for (const int rank : candidates(pencils)) {
        const auto bytes = memory_of(options, pencils, rank);
        std::int64_t total = 0;
        for (const auto& [name, part] : bytes) total += part;
        if (total > most) largest = bytes;
        most = std::max(most, total);
    }
    return largest;
}

} // namespace whorl

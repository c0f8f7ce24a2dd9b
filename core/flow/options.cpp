#include "flow/options.hpp"

#include <algorithm>

#include "base/choice.hpp"
#include "device/caches.hpp"

namespace whorl {

Truncation Options::truncation() const {
    check_box(box());
    return Truncation(box(), dealias, shape);
}

std::int64_t Options::cache() const {
    if (second_cache > 0) return second_cache;
    return device::has_streams(device) ? device::planned_second_cache : device::second_cache();
}

ProcessGrid Options::choose_grid(int ranks) const {
    if (process_grid[0] == 0 && process_grid[1] == 0) return choose_process_grid(box(), truncation(), ranks);
    const ProcessGrid grid{process_grid[0], process_grid[1]};
    WHORL_REQUIRE(grid.p_row >= 1 && grid.p_col >= 1,
                  "process grid " + std::to_string(grid.p_row) + " x " + std::to_string(grid.p_col) +
                      " is impossible: both numbers must be 1 or more, or both 0 for an automatic choice.");
    WHORL_REQUIRE(grid.p_row * grid.p_col == ranks,
                  "process grid " + std::to_string(grid.p_row) + " x " + std::to_string(grid.p_col) +
                      " is for " + std::to_string(grid.p_row * grid.p_col) + " ranks, but there are " +
                      std::to_string(ranks) + ".");
    return grid;
}

bool Options::is_double() const {
    require_either("precision", precision, declared::choices::precision);
    return precision == "double";
}

bool Options::is_exact() const {
    require_either("linear", linear, declared::choices::linear);
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
    const std::string known = listed(asked_);
    for (const auto& [name, value] : parameters)
        WHORL_REQUIRE(asked_.contains(name), "model " + model + " has no parameter " + name +
                                                 (known.empty() ? "" : ", but " + known) + ".");
}

// With eight batches the row buffers, and the arrays through which fields are read, hold an eighth of the
// planes. Smaller batches do not repay the fixed cost of a batch.
int Options::choose_batches(ProcessGrid grid) const {
    // Ranks that exchange are fastest with a few planes at a time, which stay in cache on both sides.
    constexpr int usual = 8, planes_of_batch = 4;
    constexpr std::int64_t fewest_points_of_batch = std::int64_t{1} << 17;
    const bool shares_planes = points[1] == 1 && grid.p_row > 1; // all at once
    const int own_planes = shares_planes ? 1 : std::max(1, points[2] / grid.p_col);
    const bool exchanges = grid.p_row * grid.p_col > 1;
    const std::int64_t own_points =
        own_planes * std::max<std::int64_t>(1, std::int64_t{points[0]} * points[1] / grid.p_row);
    const auto batches_of = [&](std::int64_t of_batch) { return (own_points + of_batch - 1) / of_batch; };
    std::int64_t chosen = exchanges ? std::max(usual, own_planes / planes_of_batch) : usual;
    chosen = std::min(chosen, batches_of(fewest_points_of_batch));
    if (device::has_streams(device)) // a batch fills a GPU; several hide exchanges
        chosen = std::max<std::int64_t>(exchanges ? 4 : 1, batches_of(points_of_batch));
    return static_cast<int>(std::clamp<std::int64_t>(batches > 0 ? batches : chosen, 1, own_planes));
}

} // namespace whorl

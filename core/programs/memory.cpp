#include "programs/memory.hpp"

#include <algorithm>

#include "device/level.hpp"
#include "programs/histogram.hpp"
#include "programs/interpreter.hpp"
#include "programs/probes.hpp"
#include "programs/remap_modes.hpp"

namespace whorl::programs {

namespace {

constexpr std::int64_t wide = 8;    // bytes of a double, and of a count
constexpr std::int64_t of_cell = 4; // of a cell's number
constexpr std::int64_t words = ExactSum::word_count;

// Means, maxima and histograms of the points, and their values (programs/evaluate.cpp).
std::int64_t at_points(const ProgramNeeds& needs, const Share& share) {
    const Layout& layout = share.layout;
    const std::int64_t rows = 1LL * layout.point_z.size() * layout.y.size();
    const std::int64_t of_batch = 1LL * layout.largest_point_batch() * layout.y.size() * layout.nx;
    const std::int64_t real = share.value / 2;
    const std::int64_t arrays = needs.values + (share.streams ? needs.of_rows + needs.histogram_operands : 0);
    const std::int64_t tables = share.streams ? 1 : share.executors;
    const std::int64_t copies = share.streams ? 1 : Histogram<double>::copies;
    using Interpreted = Interpreter<double>;
    const std::int64_t place = share.streams ? 0 : Interpreted::place_size * wide; // in any precision
    static_assert(Interpreter<float>::place_size * sizeof(float) == Interpreted::place_size * sizeof(double));
    return arrays * of_batch * real + needs.of_rows * rows * wide +
           tables * (needs.cells * copies * wide + needs.sums * words * wide + needs.places * place);
}

// programs/remap_modes.cpp: modes that a rank receives and sends at a time, at most. Others ask twice for
// those with n = 0 along the axis that is swapped, and some time all ranks may ask one.
std::int64_t moved_at_once(const ProgramNeeds& needs, const Share& share, const Share& along) {
    const Layout& layout = share.layout;
    const std::int64_t ranks = 1LL * layout.grid.p_row * layout.grid.p_col;
    const std::int64_t twice =
        1LL * layout.kx.size() * (needs.axis == 2 ? static_cast<int>(layout.ky.size()) : layout.nz);
    return std::min(along.modes, most_remapped) + std::min(share.modes + twice, ranks * most_remapped);
}

// programs/remap_modes.cpp, then programs/increments.cpp
std::int64_t of_increments(const ProgramNeeds& needs, const Share& flow, const Share& share) {
    const Layout& layout = share.layout;
    const std::int64_t real = share.value / 2, copies = share.streams ? 1 : share.executors;
    const std::int64_t rows = 1LL * layout.largest_point_batch() * layout.y.size();
    const std::int64_t together = 2 * device::vector_bytes / real; // device/row_plan.hpp
    const std::int64_t place = share.streams ? 0 : Interpreter<double>::place_size * wide;
    const std::int64_t of_rows =
        share.streams ? needs.increments * rows * layout.nx * real + needs.moments * rows * wide
                      : copies * needs.increments * layout.nx * together * wide;
    const std::int64_t own = of_rows + copies * (needs.moments * words * wide + needs.places * place);
    const bool exchanged = needs.fields > 0 && layout.grid.p_row * layout.grid.p_col > 1;
    const std::int64_t number = share.streams ? wide : 0; // of a mode, on the device
    const std::int64_t swap = exchanged ? moved_at_once(needs, flow, share) * (share.value + number) : 0;
    return needs.fields * share.modes * share.value + std::max(own, swap);
}

// programs/mode_sums.cpp
std::int64_t at_modes(const ProgramNeeds& needs, const Share& share) {
    const auto height = static_cast<std::int64_t>(share.layout.ky.size()),
               width = std::int64_t{share.layout.kx.size()};
    const std::int64_t space = share.streams ? 0 : 2 * share.executors * width * share.value;
    if (needs.groups == 0) return needs.pairs * height * width * wide + space;
    const std::int64_t columns = share.streams ? 0 : width * (needs.groups * wide + 2 * of_cell);
    return (share.streams ? 1 : share.executors) *
               (needs.groups * needs.mode_cells * words * wide + columns) +
           space;
}

} // namespace

void MostOfRuns::add(const ProgramNeeds& needs, const Share& share, const Share& along) {
    const std::int64_t field = share.modes * share.value;
    products_ = std::max(products_, (needs.kept + needs.product_fields) * field);
    forces_ = std::max(forces_, needs.forces * field);
    const std::int64_t of_program =
        (needs.inputs > 0 ? at_points(needs, share) : 0) + (needs.pairs > 0 ? at_modes(needs, share) : 0);
    rest_ = std::max(rest_, needs.increments > 0 ? of_increments(needs, share, along) : of_program);
}

// programs/probe_modes.cpp and probe_points.cpp
std::int64_t bytes_of(const ProbeNeeds& needs, const Share& share) {
    constexpr std::int64_t number = 2 * wide;
    const auto padded = [](std::int64_t n) {
        return (n + lanes_of_sums - 1) / lanes_of_sums * lanes_of_sums;
    };
    const auto height = static_cast<std::int64_t>(share.layout.ky.size()),
               width = std::int64_t{share.layout.kx.size()};
    const std::int64_t of_x = padded(width), of_y = padded(height), of_z = padded(share.layout.nz);
    const std::int64_t factors = 2 * (needs.along_x * of_x + needs.along_y * of_y + needs.along_z * of_z);
    const std::int64_t shares = needs.inputs * needs.points * height * wide;
    const std::int64_t of_modes = needs.inputs * needs.modes * number;
    if (share.streams) {
        const std::int64_t levels = std::min<std::int64_t>(most_levels, needs.along_z);
        return of_modes + shares + (factors + needs.inputs * levels * height * width) * number;
    }
    const std::int64_t sums = needs.along_x <= needs.along_z ? needs.along_x * of_z : needs.along_z * of_x;
    const std::int64_t row = needs.points > 0 ? of_x * share.value : 0;
    return of_modes + shares + factors * number + share.executors * (row + (sums + needs.lines) * number);
}

Width widest(const std::vector<ProgramNeeds>& programs) {
    std::int64_t columns = 0, rows = 0;
    for (const ProgramNeeds& one : programs) {
        if (one.is_narrow()) continue;
        columns = std::max({columns, one.inputs, one.fluxes});
        rows = std::max({rows, one.inputs, one.products});
    }
    return {static_cast<int>(columns), static_cast<int>(rows)};
}

} // namespace whorl::programs

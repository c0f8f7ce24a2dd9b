// The options of a flow's round trip.
#pragma once

#include "flow/options.hpp"
#include "grid/box.hpp"
#include "roundtrip/roundtrip.hpp"

namespace whorl {

// The options for passes of at most these numbers of variables on the legs of columns and of rows.
inline RoundTripOptions trip_options(const Options& options, int column_variables, int row_variables) {
    RoundTripOptions trip;
    trip.grid = {options.process_grid[0], options.process_grid[1]};
    trip.batches = options.batches;
    trip.exchange = {options.transport_options(), options.gpu_aware, options.exchange_timeout};
    trip.lines = parse_line_choice(options.lines);
    trip.second_cache = options.cache();
    trip.planes = options.planes;
    trip.plane_bytes = options.plane_bytes;
    trip.blocks = {options.lane_bytes, options.block_threads, options.block_pairs};
    trip.column_variables = column_variables;
    trip.row_variables = row_variables;
    return trip;
}

// The options of the box with the first and another axis swapped.
inline Options swapped(Options options, int axis) {
    const Box box = swapped(options.box(), axis);
    options.points = box.points;
    options.lengths = box.lengths;
    return options;
}

// The options of the same box on fewer points, for products of two fields that are needed only at modes with
// |k| < h. Modes up to 2 h are kept. Aliases fall on other modes if the number of points N of each axis is
// more than 3 sqrt(2) h / (2 pi / L). Only the needs of programs on these points are kept.
inline Options narrowed(Options options, const std::array<int, 3>& points) {
    options.points = points;
    options.dealias = "phase-shift"; // for its sphere, without a shift
    LineChoice lines = parse_line_choice(options.lines);
    lines.columns = 0;
    options.lines = lines.text();
    options.batches = 0;
    options.batches = options.choose_batches({options.process_grid[0], options.process_grid[1]});
    std::erase_if(options.programs,
                  [&](const programs::ProgramNeeds& needs) { return needs.points() != points; });
    for (programs::ProgramNeeds& needs : options.programs) needs.nx = needs.ny = needs.nz = 0;
    return options;
}

} // namespace whorl

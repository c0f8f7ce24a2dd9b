// The options of a flow's round trip.
#pragma once

#include "flow/options.hpp"
#include "grid/box.hpp"
#include "roundtrip/roundtrip.hpp"

namespace whorl {

// For passes of at most so many variables on the legs of columns and of rows.
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

// Those of the box with the first and another axis swapped.
inline Options swapped(Options options, int axis) {
    const Box box = swapped(options.box(), axis);
    options.points = box.points;
    options.lengths = box.lengths;
    return options;
}

// Those of the same box on fewer points, for products of two fields that are wanted at some of the modes,
// with |k| < h: modes up to 2 h are kept, and aliases fall on others, where the points N of each axis are
// more than 3 sqrt(2) h / (2 pi / L). Of what programs need there is what is meant for these points.
inline Options narrowed(Options options, const std::array<int, 3>& points) {
    options.points = points;
    options.dealias = "phase-shift"; // of which the sphere is meant, and no shift
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

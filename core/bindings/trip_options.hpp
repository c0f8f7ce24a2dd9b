// The options of a flow's round trip.
#pragma once

#include "bindings/options.hpp"
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

} // namespace whorl

// The part of a rank's modes, in the order of a checkpoint, that is staged at a time: some kx.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/mode_order.hpp"

namespace whorl::storage {

// Columns (kx, ky) of the kx from `begin` to `end`, kx after kx: the position of each in the staging area,
// and its number of modes.
struct Slice {
    int begin = 0, end = 0;
    std::int64_t modes = 0;
    std::vector<std::int64_t> staged;
    std::vector<std::int32_t> counts;
};

// Each slice has as many kx as fit, at least one.
std::vector<Slice> slices_of(const ModeOrder& order, std::size_t bytes_per_mode);

std::int64_t largest_of(const std::vector<Slice>& slices);

// Calls transfer(first mode in the file, number of modes, position in the staging area) for each contiguous
// run of a slice.
template <class Transfer>
void each_run(const ModeOrder& order, const Slice& slice, const Transfer& transfer) {
    const int height = order.height();
    for (int i = slice.begin; i < slice.end; ++i)
        for (int j = 0; j < height;) {
            const std::int64_t begin = order.begin(i, j);
            const std::int64_t staged =
                slice.staged[static_cast<std::size_t>((i - slice.begin) * height + j)];
            std::int64_t count = 0;
            while (j < height && order.begin(i, j) == begin + count) count += order.column(i, j++);
            if (count > 0) transfer(begin, count, staged);
        }
}

} // namespace whorl::storage

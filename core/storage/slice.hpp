// A rank's modes in the order of a checkpoint, some kx at a time: what is staged between state and file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/mode_order.hpp"

namespace whorl::storage {

// Columns (kx, ky) of the kx from `begin` on, kx after kx: where each begins in the staging area, and how
// many modes it has.
struct Slice {
    int begin = 0, end = 0;
    std::int64_t modes = 0;
    std::vector<std::int64_t> staged;
    std::vector<std::int32_t> counts;
};

// As many kx a slice as fit, at least one.
std::vector<Slice> slices_of(const ModeOrder& order, std::size_t bytes_per_mode);

std::int64_t largest_of(const std::vector<Slice>& slices);

} // namespace whorl::storage

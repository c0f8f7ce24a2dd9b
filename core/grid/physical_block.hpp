// The grid points of a rank in one batch of planes, and the functions that are called for it.
#pragma once

#include <cstdint>
#include <functional>

#include "base/macros.hpp"
#include "grid/pencils.hpp"

namespace whorl {

// Planes z, rows y, all x.
struct PhysicalBlock {
    Range z, y;
    int nx;
    WHORL_INLINE std::int64_t points() const { return static_cast<std::int64_t>(z.size()) * y.size() * nx; }
};

// Reads or sets the values [component][z][y][x] of a block.
template <class Real> using BlockCallback = std::function<void(const PhysicalBlock&, Real*)>;

} // namespace whorl

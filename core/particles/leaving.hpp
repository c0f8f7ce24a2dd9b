// The number of particles that belong to other ranks, counted on their device.
#pragma once

#include "particles/each.hpp"
#include "particles/territory.hpp"

namespace whorl::particles {

// Counts particles that another rank owns.
struct LeavingItem {
    Owners owner;
    int rank;
    const double* positions;

    WHORL_ANYWHERE void operator()(std::int64_t p, double* values) const {
        if (owner(positions + 3 * p) != rank) values[0] += 1.0;
    }
};

template <class Device> class Leaving {
  public:
    // The territory outlives it.
    explicit Leaving(const Territory& territory)
        : territory_(territory), rows_(territory.of_rows()), columns_(territory.of_columns()) {}

    bool any(Device& device, std::size_t count, const double* positions) const {
        if (count == 0) return false;
        const Owners owners{territory_.axis(1), territory_.axis(2), rows_.data(), columns_.data()};
        const LeavingItem item{owners, territory_.rank(), positions};
        return device.reduce(static_cast<std::int64_t>(count), 1, 0, item)[0] > 0.0;
    }

  private:
    const Territory& territory_;
    device::Table<int, typename Device::Memory> rows_, columns_;
};

} // namespace whorl::particles

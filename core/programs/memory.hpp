// The memory of programs and probes, counted by what they need before anything is allocated. Where work is
// enqueued it is that of the device.
#pragma once

#include <vector>

#include "programs/needs.hpp"
#include "roundtrip/layout.hpp"

namespace whorl::programs {

// What a rank has of the flow.
struct Share {
    const Layout& layout; // of any number of variables
    std::int64_t modes;
    std::int64_t value; // bytes of a complex number
    int executors;
    bool queues; // where work is enqueued
};

// The most that runs take: the products that are there at a time, whose memory serves those to come; forces;
// and the rest of one run. Increments along another axis than the first pass with that axis as the first,
// where a rank has the share `along`.
class MostOfRuns {
  public:
    void add(const ProgramNeeds& needs, const Share& share, const Share& along);
    std::int64_t bytes() const { return products_ + forces_ + rest_; }

  private:
    std::int64_t products_ = 0, forces_ = 0, rest_ = 0;
};

// As long as the probe is there.
std::int64_t bytes_of(const ProbeNeeds& needs, const Share& share);

// The most variables on the legs of columns and of rows of a round trip, on the flow's points.
struct Width {
    int columns, rows;

    bool fits(const Layout& layout) const {
        return columns <= layout.column_variables && rows <= layout.row_variables;
    }
};
Width widest(const std::vector<ProgramNeeds>& programs);

} // namespace whorl::programs

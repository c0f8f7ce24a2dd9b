// The memory of programs and probes, computed from their needs before anything is allocated. On a GPU it is
// the device's memory.
#pragma once

#include <vector>

#include "programs/needs.hpp"
#include "roundtrip/layout.hpp"

namespace whorl::programs {

// A rank's share of the flow.
struct Share {
    const Layout& layout; // of any number of variables
    std::int64_t modes;
    std::int64_t value; // bytes of a complex number
    int executors;
    bool streams; // on a GPU
};

// The most memory that runs need: the products that exist at a time, whose memory later products use; forces;
// and the rest of one run. Increments along another axis than the first are measured with that axis as the
// first, where a rank has the share `along`.
class MostOfRuns {
  public:
    void add(const ProgramNeeds& needs, const Share& share, const Share& along);
    std::int64_t bytes() const { return products_ + forces_ + rest_; }

  private:
    std::int64_t products_ = 0, forces_ = 0, rest_ = 0;
};

// Bytes of a probe, as long as it exists.
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

// Layout of the kept modes of one rank: a row of kx for each (ky, kz), whose length follows from the
// truncation. Order in memory: ky, then kz in transform order, then kx; one field after another.
#pragma once

#include <cstdint>
#include <vector>

#include "base/macros.hpp"
#include "grid/pencils.hpp"

namespace whorl {

struct Row {
    std::int64_t offset; // of the first mode within a field
    std::int32_t length; // number of kept kx, the first of the rank
};

class RowTable {
  public:
    RowTable(const Box& box, const Truncation& truncation, const Pencils& pencils, int r, int c);

    Dealt kx() const { return kx_; }
    const std::vector<int>& ky() const { return ky_; } // indices among the kept ky
    std::vector<int> signed_ky(const Truncation& truncation) const;
    int height() const { return static_cast<int>(ky_.size()); }
    int nz() const { return nz_; }
    std::int64_t modes() const { return modes_; }          // of one field
    const std::vector<Row>& rows() const { return rows_; } // [ky][kz]

  private:
    Dealt kx_;
    std::vector<int> ky_;
    int nz_;
    std::int64_t modes_ = 0;
    std::vector<Row> rows_;
};

// Number of modes of a RowTable of these kx and ky, without constructing it.
std::int64_t count_modes(const Truncation& truncation, const Dealt& kx, const std::vector<int>& ky);

} // namespace whorl

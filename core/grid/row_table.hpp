// Where the kept modes of one rank lie: rows of kx for each (ky, kz), each as long as the truncation keeps.
// Order in memory: ky, then kz in transform order, then kx; one field after another.
#pragma once

#include <cstdint>
#include <vector>

#include "base/macros.hpp"
#include "grid/pencils.hpp"

namespace whorl {

struct Row {
    std::int64_t offset; // of its first mode within a field
    std::int32_t length; // kept kx: the first so many of the rank's
};

class RowTable {
  public:
    RowTable(const Box& box, const Truncation& truncation, const Pencils& pencils, int r, int c);

    Dealt kx() const { return kx_; }
    const std::vector<int>& ky() const { return ky_; } // places among the kept
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

// The modes a RowTable of these kx and ky has, without making it.
std::int64_t count_modes(const Truncation& truncation, const Dealt& kx, const std::vector<int>& ky);

} // namespace whorl

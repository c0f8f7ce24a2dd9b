// Fields of a checkpoint on another grid of the same box. Modes that both grids keep have the values in the
// file. Modes that only the new grid keeps are zero, and modes that only the grid of the file keeps are
// dropped. A field that both grids resolve is the same to the last bit.
#pragma once

#include <string>
#include <vector>

#include "exchange/communicator.hpp"
#include "grid/row_table.hpp"
#include "storage/mode_access.hpp"

namespace whorl::storage {

// Reads the fields, named as in the file, from a checkpoint written by any ranks in any precision on any grid
// of the same bases and lengths (except that of an axis of one point). Called by all ranks; throws the same
// Error on all, and leaves the fields undefined, if the file is missing, of another format, of another box,
// without one of the fields, truncated, incomplete or damaged. The whole state in the file is checked, even
// if only a part is read.
template <class Real>
void read_regridded(const std::string& path, const Box& box, const Truncation& truncation,
                    const RowTable& table, const std::vector<StoredField<Real>>& fields,
                    ModeAccess<Real>& access, const exchange::Communicator& world);

} // namespace whorl::storage

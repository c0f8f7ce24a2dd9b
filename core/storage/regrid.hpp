// Fields of a checkpoint on another grid of the same box: each mode that both grids keep has the value in the
// file, one that only the new grid keeps is zero, one that only the file's grid keeps is left out. Where a
// field is resolved by both, it is the same field to the last bit.
#pragma once

#include <string>
#include <vector>

#include "exchange/communicator.hpp"
#include "grid/row_table.hpp"
#include "storage/mode_access.hpp"

namespace whorl::storage {

// Fills the fields, called by their names in the file, from a checkpoint written by any ranks in any
// precision on any grid of the same bases and lengths (but of an axis of one point). By all ranks; throws the
// same Error on all, and leaves the fields undefined, when the file is missing, foreign, of another box,
// without one of the fields, truncated, incomplete or damaged: all its state is checked, whatever is read of
// it.
template <class Real>
void read_regridded(const std::string& path, const Box& box, const Truncation& truncation,
                    const RowTable& table, const std::vector<StoredField<Real>>& fields,
                    ModeAccess<Real>& access, const exchange::Communicator& world);

} // namespace whorl::storage

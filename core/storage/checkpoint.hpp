// Checkpoints: the kept modes of a solenoidal velocity, two components of each mode, in an HDF5 file whose
// content does not depend on the ranks that wrote it (docs/checkpoints.md). The third component follows from
// k.u = 0.
#pragma once

#include <string>

#include "base/complex.hpp"
#include "exchange/communicator.hpp"
#include "grid/row_table.hpp"
#include "storage/attributes.hpp"

namespace whorl::storage {

// `field` holds three components, each table.modes() after the one before, and satisfies close_continuity on
// every mode but the mean. The file appears at `path` when it is complete and safe on disk. By all ranks;
// when one fails, all throw the same Error and whatever was at `path` stays.
template <class Real>
void write_checkpoint(const std::string& path, const Attributes& attributes, const Box& box,
                      const Truncation& truncation, const RowTable& table, const Complex<Real>* field,
                      const exchange::Communicator& world);

// Fills `field` from a checkpoint of the same box and truncation, written by any ranks in any precision, and
// returns the attributes it was given. In the precision of the file the bits are those that were written. By
// all ranks; throws the same Error on all, and leaves `field` undefined, when the file is missing, foreign,
// of another box or truncation, truncated, incomplete or damaged.
template <class Real>
Attributes read_checkpoint(const std::string& path, const Box& box, const Truncation& truncation,
                           const RowTable& table, Complex<Real>* field, const exchange::Communicator& world);

} // namespace whorl::storage

// Checkpoints: the kept modes of every field of the state in an HDF5 file whose content does not depend on
// the ranks that wrote it (docs/checkpoints.md). Of a solenoidal field two components are stored; the third
// follows from k.u = 0.
#pragma once

#include <string>

#include "base/complex.hpp"
#include "exchange/communicator.hpp"
#include "grid/row_table.hpp"
#include "storage/attributes.hpp"
#include "storage/mode_access.hpp"

namespace whorl::storage {

// What a multistep scheme remembers: a set of fields for each step there is room for, the latest first, and
// dt of those that are remembered. Of a solenoidal field they are solenoidal.
template <class Real> struct EarlierSteps {
    std::vector<std::vector<StoredField<Real>>> fields;
    std::vector<double> dt;
};

// A solenoidal field satisfies close_continuity on every mode but the mean. The file appears at `path` when
// it is complete and safe on disk. By all ranks; when one fails, all throw the same Error and whatever was at
// `path` stays.
template <class Real>
void write_checkpoint(const std::string& path, const Attributes& attributes, const Box& box,
                      const Truncation& truncation, const RowTable& table,
                      const std::vector<StoredField<Real>>& fields, const EarlierSteps<Real>& earlier,
                      ModeAccess<Real>& access, const exchange::Communicator& world);

// Fills the fields from a checkpoint of the same box, truncation and fields, written by any ranks in any
// precision, and as many earlier steps as there are and there is room for. In the precision of the file the
// bits are those that were written. By all ranks; throws the same Error on all, and leaves the fields
// undefined, when the file is missing, foreign, of another box, truncation or set of fields, truncated,
// incomplete or damaged.
template <class Real>
void read_checkpoint(const std::string& path, const Box& box, const Truncation& truncation,
                     const RowTable& table, const std::vector<StoredField<Real>>& fields,
                     EarlierSteps<Real>& earlier, ModeAccess<Real>& access,
                     const exchange::Communicator& world);

} // namespace whorl::storage

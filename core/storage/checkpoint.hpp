// Checkpoints: the kept modes of every field of the state in an HDF5 file whose content does not depend on
// the ranks that wrote it (docs/checkpoints.md). Of a solenoidal field two components are stored; the third
// follows from k.u = 0.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/complex.hpp"
#include "exchange/communicator.hpp"
#include "grid/row_table.hpp"
#include "storage/attributes.hpp"
#include "storage/checkpoint_kind.hpp"
#include "storage/mode_access.hpp"

namespace whorl::storage {

// The history of a multistep scheme: a set of fields for each step that it can hold, the latest first, and dt
// of the steps it does hold, and the time of the state where the file has it. The history of a solenoidal
// field is solenoidal.
template <class Real> struct EarlierSteps {
    std::vector<std::vector<StoredField<Real>>> fields;
    std::vector<double> dt;
    double time = 0.0;
};

// A solenoidal field must satisfy close_continuity on every mode but the mean. The fields may change after
// the call. Called by all ranks; if one fails, all throw the same Error.
template <class Real>
std::unique_ptr<UnfinishedCheckpoint>
begin_checkpoint(const std::string& path, const CheckpointKind& kind, const Attributes& attributes,
                 const Box& box, const Truncation& truncation, const RowTable& table,
                 const std::vector<StoredField<Real>>& fields, const EarlierSteps<Real>& earlier,
                 ModeAccess<Real>& access, const exchange::Communicator& world);

// Reads the fields from a checkpoint of the same box, truncation and fields, written by any ranks in any
// precision, and as many earlier steps as the file and `earlier` both have. In the precision of the file the
// bits are those that were written. Called by all ranks; throws the same Error on all, and leaves the fields
// undefined, if the file is missing, of another format, of another box, truncation or set of fields,
// truncated, incomplete or damaged.
template <class Real>
void read_checkpoint(const std::string& path, const Box& box, const Truncation& truncation,
                     const RowTable& table, const std::vector<StoredField<Real>>& fields,
                     EarlierSteps<Real>& earlier, ModeAccess<Real>& access,
                     const exchange::Communicator& world);

// Fields of a checkpoint on another grid of the same box. Modes that both grids keep have the values in the
// file. Modes that only the new grid keeps are zero, and modes that only the grid of the file keeps are
// dropped. A field that both grids resolve is the same to the last bit.

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

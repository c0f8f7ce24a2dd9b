// Replaces checkpoints and snapshots in a build without HDF5.
#include "base/error.hpp"
#include "storage/attributes.hpp"
#include "storage/checkpoint.hpp"
#include "storage/snapshot.hpp"

namespace whorl::storage {

namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw Error(
        what +
        ": this whorl was built without HDF5; build it with HDF5 (cmake -DWHORL_HDF5=ON), or do without "
        "checkpoints and snapshots.");
}

} // namespace

std::string hdf5_version() { return "none"; }

class WholeFile {};

SnapshotWriter::SnapshotWriter(const std::string& path, const Box& box, const Attributes&,
                               const exchange::Communicator& world, bool single)
    : box_(box), world_(world), single_(single) {
    refuse("the snapshot " + path + " cannot be written");
}

SnapshotWriter::~SnapshotWriter() = default;

// Functions that are never called, since the constructor throws.
void SnapshotWriter::add_field(const std::string&, int) {}

template <class Real>
void SnapshotWriter::write_block(const std::string&, const PhysicalBlock&, const Real*) {}

void SnapshotWriter::finish() {}

template void SnapshotWriter::write_block(const std::string&, const PhysicalBlock&, const float*);
template void SnapshotWriter::write_block(const std::string&, const PhysicalBlock&, const double*);

template <class Real>
std::unique_ptr<UnfinishedCheckpoint>
begin_checkpoint(const std::string& path, const CheckpointKind&, const Attributes&, const Box&,
                 const Truncation&, const RowTable&, const std::vector<StoredField<Real>>&,
                 const EarlierSteps<Real>&, ModeAccess<Real>&, const exchange::Communicator&) {
    refuse("the checkpoint " + path + " cannot be written");
}

template <class Real>
void read_checkpoint(const std::string& path, const Box&, const Truncation&, const RowTable&,
                     const std::vector<StoredField<Real>>&, EarlierSteps<Real>&, ModeAccess<Real>&,
                     const exchange::Communicator&) {
    refuse("the checkpoint " + path + " cannot be read");
}

template <class Real>
void read_regridded(const std::string& path, const Box&, const Truncation&, const RowTable&,
                    const std::vector<StoredField<Real>>&, ModeAccess<Real>&, const exchange::Communicator&) {
    refuse("the checkpoint " + path + " cannot be read");
}

using Communicator = exchange::Communicator;
#define WHORL_INSTANTIATE(Real)                                                                              \
    template std::unique_ptr<UnfinishedCheckpoint> begin_checkpoint(                                         \
        const std::string&, const CheckpointKind&, const Attributes&, const Box&, const Truncation&,         \
        const RowTable&, const std::vector<StoredField<Real>>&, const EarlierSteps<Real>&,                   \
        ModeAccess<Real>&, const Communicator&);                                                             \
    template void read_checkpoint(const std::string&, const Box&, const Truncation&, const RowTable&,        \
                                  const std::vector<StoredField<Real>>&, EarlierSteps<Real>&,                \
                                  ModeAccess<Real>&, const Communicator&);                                   \
    template void read_regridded(const std::string&, const Box&, const Truncation&, const RowTable&,         \
                                 const std::vector<StoredField<Real>>&, ModeAccess<Real>&,                   \
                                 const Communicator&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl::storage

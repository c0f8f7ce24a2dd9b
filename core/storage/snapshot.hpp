// Snapshots: fields at the grid points as VTKHDF image data, which ParaView opens as they are; the dimensions
// carry the names z, y, x, component for netCDF readers such as xarray (docs/snapshots.md).
#pragma once

#include <array>
#include <map>
#include <string>

#include "exchange/communicator.hpp"
#include "fields/physical.hpp"
#include "storage/hdf5.hpp"
#include "storage/whole_file.hpp"

namespace whorl::storage {

// Every call is made by all ranks; when one fails, all throw the same Error. The file appears at `path` with
// finish(); without it nothing remains and whatever was at `path` stays.
class SnapshotWriter {
  public:
    // `single`: 4 bytes a value on disk, else 8.
    SnapshotWriter(const std::string& path, const Box& box, const Attributes& attributes,
                   const exchange::Communicator& world, bool single);

    // A vector at every point, to be filled by write_block().
    void add_field(const std::string& name);
    // [component][z][y][x] of this rank's block, which may be empty: once by every rank for each batch of
    // planes.
    template <class Real>
    void write_block(const std::string& name, const PhysicalBlock& block, const Real* data);
    void finish();

  private:
    void describe_image(const Attributes& attributes);
    void add_scales();

    Box box_;
    const exchange::Communicator& world_;
    bool single_;
    std::string context_;
    WholeFile file_;
    Group image_, points_;
    std::array<Dataset, 4> scales_; // of z, y, x and component
    std::map<std::string, Dataset> fields_;
};

} // namespace whorl::storage

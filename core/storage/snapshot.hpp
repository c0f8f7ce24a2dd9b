// Snapshots: fields at the grid points as VTKHDF image data, which ParaView opens directly; the dimensions
// are named z, y, x, component (without z in two dimensions) for netCDF readers such as xarray
// (docs/snapshots.md).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "exchange/communicator.hpp"
#include "grid/physical_block.hpp"
#include "storage/attributes.hpp"

namespace whorl::storage {

class WholeFile;

// Every call is made by all ranks; if one fails, all throw the same Error. The file appears at `path` with
// finish(); without it nothing remains and an earlier file at `path` stays.
class SnapshotWriter {
  public:
    // `single`: 4 bytes for each value on disk, otherwise 8.
    SnapshotWriter(const std::string& path, const Box& box, const Attributes& attributes,
                   const exchange::Communicator& world, bool single);
    ~SnapshotWriter();

    // Adds a field with `components` components at every point, which write_block() fills.
    void add_field(const std::string& name, int components);
    // Writes [component][z][y][x] of this rank's block, which may be empty; called once by every rank for
    // each batch of planes.
    template <class Real>
    void write_block(const std::string& name, const PhysicalBlock& block, const Real* data);
    void finish();

  private:
    Box box_;
    const exchange::Communicator& world_;
    bool single_;
    std::string context_;
    std::unique_ptr<WholeFile> file_;
    struct Field {
        std::int64_t offset; // in the file, in bytes
        int components;
    };
    std::map<std::string, Field> fields_;
};

} // namespace whorl::storage

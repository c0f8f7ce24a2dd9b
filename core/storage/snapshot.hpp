// Snapshots: fields at the grid points as VTKHDF image data, which ParaView opens as they are; the dimensions
// carry the names z, y, x, component (without z in two dimensions) for netCDF readers such as xarray
// (docs/snapshots.md).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "exchange/communicator.hpp"
#include "fields/physical.hpp"
#include "storage/attributes.hpp"

namespace whorl::storage {

class WholeFile;

// Every call is made by all ranks; when one fails, all throw the same Error. The file appears at `path` with
// finish(); without it nothing remains and whatever was at `path` stays.
class SnapshotWriter {
  public:
    // `single`: 4 bytes a value on disk, else 8.
    SnapshotWriter(const std::string& path, const Box& box, const Attributes& attributes,
                   const exchange::Communicator& world, bool single);
    ~SnapshotWriter();

    // So many components at every point, to be filled by write_block().
    void add_field(const std::string& name, int components);
    // [component][z][y][x] of this rank's block, which may be empty: once by every rank a batch of planes.
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
        std::int64_t offset; // where it begins in the file, in bytes
        int components;
    };
    std::map<std::string, Field> fields_;
};

} // namespace whorl::storage

// Transfer of a rank's modes between its state and the datasets of a checkpoint, through a bounded staging
// area.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/complex.hpp"
#include "storage/hdf5.hpp"
#include "storage/mode_access.hpp"
#include "storage/mode_order.hpp"
#include "storage/whole_file.hpp"

namespace whorl::storage {

// The modes of one rank: their positions in the state and in the file, and their wavenumbers.
struct ModeShare {
    const Box& box;
    const Truncation& truncation;
    const RowTable& table;
    ModeOrder order{truncation, columns_of(truncation, table)};

    bool holds_mean() const { return table.kx().part == 0 && table.height() > 0 && table.ky().front() == 0; }
};

// The datasets of a field: [file][component], and none for a file that this rank does not read.
struct FieldData {
    std::vector<std::vector<Dataset>> of;
    bool single = false; // their precision
};

// Allocates the stored components of the largest slice.
template <class Stored, class Real>
Staged<Stored> make_staging(ModeAccess<Real>& access, int components, const std::vector<Slice>& slices) {
    const std::int64_t modes = largest_of(slices);
    const auto bytes = static_cast<std::size_t>(components * modes) * sizeof(Complex<Stored>);
    return {static_cast<Complex<Stored>*>(access.staging(bytes)), modes};
}

// Reads the modes of a slice of the files' columns, in `order`, into the staging area.
template <class Stored>
void read_slice(const FieldData& data, const ModeOrder& order, const ModePlaces& places, const Slice& slice,
                const Staged<Stored>& staged) {
    each_run(order, places, slice, [&](Place begin, std::int64_t count, std::int64_t at) {
        const Shape from{static_cast<hsize_t>(begin.begin), 0}, shape{static_cast<hsize_t>(count), 2};
        const std::vector<Dataset>& components = data.of[static_cast<std::size_t>(begin.file)];
        for (std::size_t c = 0; c < components.size(); ++c)
            read_block(components[c], from, shape, &staged.component(static_cast<int>(c))[at].re);
    });
}

// Sums over modes of their hashes, by file.
using SumsOfFiles = std::vector<std::uint64_t>;

// Takes data and their offset in the file.
using WriteData = std::function<void(std::int64_t offset, const void* data, std::size_t bytes)>;

// The checksum of a rank's modes, computed from the bits in the file. `offsets` are those of the datasets in
// the file, in bytes.
template <class Stored, class Real>
std::uint64_t write_modes(const WriteData& write, const std::vector<std::int64_t>& offsets,
                          const ModeOrder& order, const ModePlaces& places, const StoredField<Real>& field,
                          ModeAccess<Real>& access);
// The checksum of the modes on disk.
template <class Stored, class Real>
std::uint64_t read_back(const WholeFile& file, const std::vector<std::int64_t>& offsets,
                        const ModeOrder& order, const ModePlaces& places, const StoredField<Real>& field,
                        ModeAccess<Real>& access);
template <class Real>
SumsOfFiles read_modes(const FieldData& data, const ModeOrder& order, const ModePlaces& places,
                       Complex<double> mean_z, const StoredField<Real>& field, ModeAccess<Real>& access);
// The checksums of columns that need not be those of the rank.
template <class Real>
SumsOfFiles hash_modes(const FieldData& data, const ModeOrder& order, const ModePlaces& places,
                       const StoredField<Real>& field, ModeAccess<Real>& access);

} // namespace whorl::storage

// Transfer of a rank's modes between its state and the datasets of a checkpoint, through a bounded staging
// area.
#pragma once

#include <cstdint>
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
    ModeOrder order{truncation, table};

    bool holds_mean() const { return table.kx().part == 0 && table.height() > 0 && table.ky().front() == 0; }
};

// Allocates the stored components of the largest slice.
template <class Stored, class Real>
Staged<Stored> make_staging(ModeAccess<Real>& access, int components, const std::vector<Slice>& slices) {
    const std::int64_t modes = largest_of(slices);
    const auto bytes = static_cast<std::size_t>(components * modes) * sizeof(Complex<Stored>);
    return {static_cast<Complex<Stored>*>(access.staging(bytes)), modes};
}

// Reads the modes of a slice of the file's columns, in `order`, into the staging area.
template <class Stored>
void read_slice(const std::vector<Dataset>& data, const ModeOrder& order, const Slice& slice,
                const Staged<Stored>& staged) {
    each_run(order, slice, [&](std::int64_t begin, std::int64_t count, std::int64_t at) {
        const Shape from{static_cast<hsize_t>(begin), 0}, shape{static_cast<hsize_t>(count), 2};
        for (std::size_t c = 0; c < data.size(); ++c)
            read_block(data[c], from, shape, &staged.component(static_cast<int>(c))[at].re);
    });
}

// Both return the rank's part of the checksum, computed from the bits in the file; `offsets` are those of the
// datasets in the file, in bytes.
template <class Real>
std::uint64_t write_modes(const WholeFile& file, const std::vector<std::int64_t>& offsets,
                          const ModeShare& share, const StoredField<Real>& field, ModeAccess<Real>& access);
template <class Real>
std::uint64_t read_modes(const std::vector<Dataset>& data, const ModeShare& share, Complex<double> mean_z,
                         const StoredField<Real>& field, ModeAccess<Real>& access);

} // namespace whorl::storage

// The modes of a rank between its state and the datasets of a checkpoint, through a bounded staging area.
#pragma once

#include <cstdint>

#include "base/complex.hpp"
#include "storage/hdf5.hpp"
#include "storage/mode_order.hpp"
#include "storage/whole_file.hpp"

namespace whorl::storage {

// Two components of every mode, in the order x, y, z without the dependent one (models/continuity.hpp); x and
// y of the mean. Both have the shape (modes, 2), real and imaginary part, in the order of ModeOrder.
struct ModeData {
    Dataset first, second;
};

// Where they begin in the file, in bytes.
struct ModeOffsets {
    std::int64_t first, second;
};

// The modes of one rank: where they lie in the state and in the file, and their wavenumbers.
struct ModeShare {
    const Box& box;
    const Truncation& truncation;
    const RowTable& table;
    ModeOrder order{truncation, table};

    bool holds_mean() const { return table.kx().begin == 0 && table.ky().begin == 0; }
};

// Both return the rank's part of the checksum, taken over the bits in the file.
template <class Real>
std::uint64_t write_modes(const WholeFile& file, ModeOffsets offsets, const ModeShare& share,
                          const Complex<Real>* field);
template <class Real>
std::uint64_t read_modes(const ModeData& data, const ModeShare& share, Complex<double> mean_z,
                         Complex<Real>* field);

} // namespace whorl::storage

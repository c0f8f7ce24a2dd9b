#include "storage/mode_data.hpp"

#include <algorithm>
#include <array>

#include "storage/checksum.hpp"

namespace whorl::storage {

namespace {

constexpr std::size_t staging_bytes = std::size_t{64} << 20;

// Checksum of the modes of a slice with `count` components.
template <std::size_t count, class Stored>
std::uint64_t hash_slice(const ModeOrder& order, const Slice& slice, const Staged<Stored>& staged) {
    std::uint64_t sum = 0;
    std::size_t column = 0;
    for (int i = slice.begin; i < slice.end; ++i)
        for (int j = 0; j < order.height(); ++j, ++column)
            for (std::int64_t m = 0; m < slice.counts[column]; ++m) {
                std::array<Complex<Stored>, count> values;
                for (std::size_t c = 0; c < count; ++c)
                    values[c] = staged.component(static_cast<int>(c))[slice.staged[column] + m];
                sum += hash_mode(order.begin(i, j) + m, values);
            }
    return sum;
}
template <class Stored>
std::uint64_t hash_slice(const ModeOrder& order, const Slice& slice, const Staged<Stored>& staged,
                         int components) {
    return components == 1 ? hash_slice<1>(order, slice, staged) : hash_slice<2>(order, slice, staged);
}

template <class Stored, class Real>
std::uint64_t read_stored(const std::vector<Dataset>& data, const ModeShare& share, Complex<double> mean_z,
                          const StoredField<Real>& field, ModeAccess<Real>& access) {
    const int components = field.components();
    const auto slices =
        slices_of(share.order, static_cast<std::size_t>(components) * sizeof(Complex<Stored>));
    const auto staged = make_staging<Stored>(access, components, slices);
    std::uint64_t checksum = 0;
    for (const Slice& slice : slices) {
        read_slice(data, share.order, slice, staged);
        checksum += hash_slice(share.order, slice, staged, components);
        access.put(field, slice, mean_z, staged);
    }
    return checksum;
}

} // namespace

std::vector<Slice> slices_of(const ModeOrder& order, std::size_t bytes_per_mode) {
    const auto most = static_cast<std::int64_t>(staging_bytes / bytes_per_mode);
    std::vector<Slice> slices;
    for (int i = 0; i < order.width(); ++i) {
        if (slices.empty() || slices.back().modes + order.modes(i) > most)
            slices.push_back({i, i, 0, {}, {}});
        Slice& slice = slices.back();
        for (int j = 0; j < order.height(); ++j) {
            slice.staged.push_back(slice.modes);
            slice.counts.push_back(static_cast<std::int32_t>(order.column(i, j)));
            slice.modes += order.column(i, j);
        }
        slice.end = i + 1;
    }
    return slices;
}

std::int64_t largest_of(const std::vector<Slice>& slices) {
    std::int64_t largest = 0;
    for (const Slice& slice : slices) largest = std::max(largest, slice.modes);
    return largest;
}

template <class Real>
std::uint64_t write_modes(const WholeFile& file, const std::vector<std::int64_t>& offsets,
                          const ModeShare& share, const StoredField<Real>& field, ModeAccess<Real>& access) {
    const int components = field.components();
    const auto slices = slices_of(share.order, static_cast<std::size_t>(components) * sizeof(Complex<Real>));
    const auto staged = make_staging<Real>(access, components, slices);
    std::uint64_t checksum = 0;
    for (const Slice& slice : slices) {
        access.fetch(field, slice, staged);
        checksum += hash_slice(share.order, slice, staged, components);
        each_run(share.order, slice, [&](std::int64_t begin, std::int64_t count, std::int64_t at) {
            constexpr auto size = static_cast<std::int64_t>(sizeof(Complex<Real>));
            for (int c = 0; c < components; ++c)
                file.write(offsets[static_cast<std::size_t>(c)] + begin * size, staged.component(c) + at,
                           static_cast<std::size_t>(count * size));
        });
    }
    return checksum;
}

template <class Real>
std::uint64_t read_modes(const std::vector<Dataset>& data, const ModeShare& share, Complex<double> mean_z,
                         const StoredField<Real>& field, ModeAccess<Real>& access) {
    if (real_bytes(data.front()) == sizeof(float))
        return read_stored<float>(data, share, mean_z, field, access);
    return read_stored<double>(data, share, mean_z, field, access);
}

using Offsets = std::vector<std::int64_t>;
template std::uint64_t write_modes(const WholeFile&, const Offsets&, const ModeShare&,
                                   const StoredField<float>&, ModeAccess<float>&);
template std::uint64_t write_modes(const WholeFile&, const Offsets&, const ModeShare&,
                                   const StoredField<double>&, ModeAccess<double>&);
template std::uint64_t read_modes(const std::vector<Dataset>&, const ModeShare&, Complex<double>,
                                  const StoredField<float>&, ModeAccess<float>&);
template std::uint64_t read_modes(const std::vector<Dataset>&, const ModeShare&, Complex<double>,
                                  const StoredField<double>&, ModeAccess<double>&);

} // namespace whorl::storage

#include "storage/mode_data.hpp"

#include <algorithm>
#include <array>

#include "storage/checksum.hpp"

namespace whorl::storage {

namespace {

constexpr std::size_t staging_bytes = std::size_t{64} << 20;

// Adds the hashes of the modes of a slice with `count` components to the sums of their files.
template <std::size_t count, class Stored>
void hash_slice(const ModeOrder& order, const ModePlaces& places, const Slice& slice,
                const Staged<Stored>& staged, SumsOfFiles& sums) {
    std::size_t column = 0;
    for (int i = slice.begin; i < slice.end; ++i)
        for (int j = 0; j < order.height(); ++j, ++column) {
            std::uint64_t sum = 0;
            for (std::int64_t m = 0; m < slice.counts[column]; ++m) {
                std::array<Complex<Stored>, count> values;
                for (std::size_t c = 0; c < count; ++c)
                    values[c] = staged.component(static_cast<int>(c))[slice.staged[column] + m];
                sum += hash_mode(order.begin(i, j) + m, values);
            }
            if (slice.counts[column] > 0) sums[static_cast<std::size_t>(places.at(i, j).file)] += sum;
        }
}
template <class Stored>
void hash_slice(const ModeOrder& order, const ModePlaces& places, const Slice& slice,
                const Staged<Stored>& staged, int components, SumsOfFiles& sums) {
    components == 1 ? hash_slice<1>(order, places, slice, staged, sums)
                    : hash_slice<2>(order, places, slice, staged, sums);
}

// Reads columns a slice at a time, and calls use(slice, staged) after adding to the checksums.
template <class Stored, class Real, class Use>
SumsOfFiles read_stored(const FieldData& data, const ModeOrder& order, const ModePlaces& places,
                        const StoredField<Real>& field, ModeAccess<Real>& access, const Use& use) {
    const int components = field.components();
    const auto slices = slices_of(order, static_cast<std::size_t>(components) * sizeof(Complex<Stored>));
    const auto staged = make_staging<Stored>(access, components, slices);
    SumsOfFiles sums(data.of.size(), 0);
    for (const Slice& slice : slices) {
        read_slice(data, order, places, slice, staged);
        hash_slice(order, places, slice, staged, components, sums);
        use(slice, staged);
    }
    return sums;
}

// Calls transfer(offset, values, bytes) for each run of a slice in the file.
template <class Stored, class Transfer>
void each_part(const std::vector<std::int64_t>& offsets, const ModeOrder& order, const ModePlaces& places,
               const Slice& slice, const Staged<Stored>& staged, const Transfer& transfer) {
    each_run(order, places, slice, [&](Place begin, std::int64_t count, std::int64_t at) {
        constexpr auto size = static_cast<std::int64_t>(sizeof(Complex<Stored>));
        for (std::size_t c = 0; c < offsets.size(); ++c)
            transfer(offsets[c] + begin.begin * size, staged.component(static_cast<int>(c)) + at,
                     static_cast<std::size_t>(count * size));
    });
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

template <class Stored, class Real>
std::uint64_t write_modes(const WriteData& write, const std::vector<std::int64_t>& offsets,
                          const ModeOrder& order, const ModePlaces& places, const StoredField<Real>& field,
                          ModeAccess<Real>& access) {
    const int components = field.components();
    const auto slices = slices_of(order, static_cast<std::size_t>(components) * sizeof(Complex<Stored>));
    const auto staged = make_staging<Stored>(access, components, slices);
    SumsOfFiles sum{0};
    for (const Slice& slice : slices) {
        access.fetch(field, slice, staged);
        hash_slice(order, places, slice, staged, components, sum);
        each_part(offsets, order, places, slice, staged, write);
    }
    return sum.front();
}

template <class Stored, class Real>
std::uint64_t read_back(const WholeFile& file, const std::vector<std::int64_t>& offsets,
                        const ModeOrder& order, const ModePlaces& places, const StoredField<Real>& field,
                        ModeAccess<Real>& access) {
    const int components = field.components();
    const auto slices = slices_of(order, static_cast<std::size_t>(components) * sizeof(Complex<Stored>));
    const auto staged = make_staging<Stored>(access, components, slices);
    SumsOfFiles sum{0};
    for (const Slice& slice : slices) {
        each_part(offsets, order, places, slice, staged,
                  [&](std::int64_t offset, Complex<Stored>* values, std::size_t bytes) {
                      file.read(offset, values, bytes);
                  });
        hash_slice(order, places, slice, staged, components, sum);
    }
    return sum.front();
}

template <class Real>
SumsOfFiles read_modes(const FieldData& data, const ModeOrder& order, const ModePlaces& places,
                       Complex<double> mean_z, const StoredField<Real>& field, ModeAccess<Real>& access) {
    const auto put = [&](const Slice& slice, const auto& staged) {
        access.put(field, slice, mean_z, staged);
    };
    return data.single ? read_stored<float>(data, order, places, field, access, put)
                       : read_stored<double>(data, order, places, field, access, put);
}

template <class Real>
SumsOfFiles hash_modes(const FieldData& data, const ModeOrder& order, const ModePlaces& places,
                       const StoredField<Real>& field, ModeAccess<Real>& access) {
    const auto none = [](const Slice&, const auto&) {};
    return data.single ? read_stored<float>(data, order, places, field, access, none)
                       : read_stored<double>(data, order, places, field, access, none);
}

using Offsets = std::vector<std::int64_t>;
#define WHORL_INSTANTIATE_STORED(Stored, Real)                                                               \
    template std::uint64_t write_modes<Stored>(const WriteData&, const Offsets&, const ModeOrder&,           \
                                               const ModePlaces&, const StoredField<Real>&,                  \
                                               ModeAccess<Real>&);                                           \
    template std::uint64_t read_back<Stored>(const WholeFile&, const Offsets&, const ModeOrder&,             \
                                             const ModePlaces&, const StoredField<Real>&,                    \
                                             ModeAccess<Real>&);
#define WHORL_INSTANTIATE(Real)                                                                              \
    WHORL_INSTANTIATE_STORED(float, Real)                                                                    \
    WHORL_INSTANTIATE_STORED(double, Real)                                                                   \
    template SumsOfFiles read_modes(const FieldData&, const ModeOrder&, const ModePlaces&, Complex<double>,  \
                                    const StoredField<Real>&, ModeAccess<Real>&);                            \
    template SumsOfFiles hash_modes(const FieldData&, const ModeOrder&, const ModePlaces&,                   \
                                    const StoredField<Real>&, ModeAccess<Real>&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl::storage

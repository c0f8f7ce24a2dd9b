#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "storage/checkpoint.hpp"
#include "storage/checkpoint_header.hpp"
#include "storage/checksum.hpp"
#include "storage/mode_data.hpp"
#include "storage/whole_file.hpp"

namespace whorl::storage {

namespace {

constexpr std::int64_t modes_at_once = std::int64_t{1} << 20;
constexpr double same_length = 1e-6; // relative, because users type the lengths

bool is_solenoidal(hid_t file, const std::string& field) {
    return has_attribute(file, mean_attribute(field));
}

// Checksum of the modes begin <= position < end of a field with `count` stored components.
template <std::size_t count, class Stored>
std::uint64_t hash_modes(const std::vector<Dataset>& data, std::int64_t begin, std::int64_t end) {
    std::array<std::vector<Complex<Stored>>, count> parts;
    std::uint64_t sum = 0;
    for (std::int64_t first = begin; first < end; first += modes_at_once) {
        const std::int64_t modes = std::min(modes_at_once, end - first);
        for (std::size_t c = 0; c < count; ++c) {
            parts[c].resize(static_cast<std::size_t>(modes));
            read_block(data[c], {static_cast<hsize_t>(first), 0}, {static_cast<hsize_t>(modes), 2},
                       &parts[c].front().re);
        }
        for (std::int64_t m = 0; m < modes; ++m) {
            std::array<Complex<Stored>, count> values;
            for (std::size_t c = 0; c < count; ++c) values[c] = parts[c][static_cast<std::size_t>(m)];
            sum += hash_mode(first + m, values);
        }
    }
    return sum;
}

std::uint64_t hash_modes(const std::vector<Dataset>& data, std::int64_t begin, std::int64_t end) {
    const bool single = real_bytes(data.front()) == sizeof(float);
    if (data.size() == 1)
        return single ? hash_modes<1, float>(data, begin, end) : hash_modes<1, double>(data, begin, end);
    return single ? hash_modes<2, float>(data, begin, end) : hash_modes<2, double>(data, begin, end);
}

// Checksum of the whole state in the file; each rank hashes a part of every field.
std::uint64_t checksum_of_state(hid_t file, const Geometry& geometry, std::int64_t modes,
                                const std::string& context, const exchange::Communicator& world) {
    std::uint64_t checksum = 0;
    const auto begin_of = [&](int rank) {
        return modes / world.size() * rank + std::min<std::int64_t>(rank, modes % world.size());
    };
    for (const std::string& field : geometry.field_names()) {
        std::uint64_t sum = 0;
        together(world, context, [&] {
            const auto data = open_datasets(file, datasets_of(field, is_solenoidal(file, field)), modes);
            sum = hash_modes(data, begin_of(world.rank()), begin_of(world.rank() + 1));
        });
        world.sum({&sum, 1});
        checksum = joined(checksum, sum);
    }
    return checksum;
}

// Removes from every staged column of the file the modes that the column of this grid does not have.
template <class Stored>
void narrow(Slice& slice, const ModeOrder& own, bool wall_z, int components, const Staged<Stored>& staged) {
    std::size_t column = 0;
    for (int i = slice.begin; i < slice.end; ++i)
        for (int j = 0; j < own.height(); ++j, ++column) {
            const std::int64_t there = slice.counts[column], kept = std::min(there, own.column(i, j));
            const std::int64_t negative = wall_z ? 0 : kept / 2;
            for (int c = 0; c < components; ++c) {
                Complex<Stored>* const modes = staged.component(c) + slice.staged[column];
                std::copy(modes + there - negative, modes + there, modes + kept - negative);
            }
            slice.counts[column] = static_cast<std::int32_t>(kept);
        }
}

template <class Real>
void clear(const ModeShare& share, const StoredField<Real>& field, ModeAccess<Real>& access) {
    const int components = field.components();
    const auto slices = slices_of(share.order, static_cast<std::size_t>(components) * sizeof(Complex<Real>));
    const auto staged = make_staging<Real>(access, components, slices);
    std::fill_n(staged.data, components * staged.modes, Complex<Real>{0, 0});
    for (const Slice& slice : slices) access.put(field, slice, {0, 0}, staged);
}

template <class Stored, class Real>
void read_common(const std::vector<Dataset>& data, const ModeShare& share, const ModeOrder& in_file,
                 Complex<double> mean_z, const StoredField<Real>& field, ModeAccess<Real>& access) {
    const int components = field.components();
    const auto slices = slices_of(in_file, static_cast<std::size_t>(components) * sizeof(Complex<Stored>));
    const auto staged = make_staging<Stored>(access, components, slices);
    for (Slice slice : slices) {
        read_slice(data, in_file, slice, staged);
        narrow(slice, share.order, share.truncation.wall(2), components, staged);
        access.put(field, slice, mean_z, staged);
    }
}

void require_same_box(const Geometry& found, const Box& box) {
    const Geometry own{{box.points.begin(), box.points.end()},
                       {box.lengths.begin(), box.lengths.end()},
                       bases_of(box),
                       {},
                       {},
                       {}};
    bool same = found.bases == own.bases;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (found.points[axis] > 1 && own.points[axis] > 1)
            same &= std::abs(found.lengths[axis] - own.lengths[axis]) <= same_length * own.lengths[axis];
    WHORL_REQUIRE(same, "it holds " + found.text() + ", but this box has " + own.box_text() +
                            ". Another number of points is possible, another box is not.");
}

template <class Real>
void require_fields(hid_t file, const Geometry& found, const std::vector<StoredField<Real>>& fields) {
    const std::vector<std::string> there = found.field_names();
    for (const StoredField<Real>& field : fields)
        WHORL_REQUIRE(std::ranges::count(there, field.name) == 1 &&
                          is_solenoidal(file, field.name) == field.solenoidal,
                      "it holds the fields " + found.fields + ", but not " + field.name + ".");
}

} // namespace

template <class Real>
void read_regridded(const std::string& path, const Box& box, const Truncation& truncation,
                    const RowTable& table, const std::vector<StoredField<Real>>& fields,
                    ModeAccess<Real>& access, const exchange::Communicator& world) {
    const std::string context = "the checkpoint " + path + " cannot be read";
    together(world, context, [&] {
        if (world.rank() == 0) require_same_box(inspect(path), box);
    });
    File file;
    Geometry geometry;
    together(world, context, [&] {
        file = open_file(path);
        geometry = read_header(file.id());
        require_fields(file.id(), geometry, fields);
    });
    access.written_in({geometry.lengths[0], geometry.lengths[1], geometry.lengths[2]});
    const ModeShare share{box, truncation, table};
    const ModeOrder in_file(geometry.truncation(), table.kx(), share.order.ky());
    const std::uint64_t checksum = checksum_of_state(file.id(), geometry, in_file.total(), context, world);
    together(world, context, [&] { require_data(hexadecimal(checksum), read_text(file.id(), "checksum")); });
    for (const StoredField<Real>& field : fields)
        together(world, context, [&] {
            const auto data = open_datasets(file.id(), field.datasets(), in_file.total());
            std::vector<double> mean_z{0.0, 0.0};
            if (field.solenoidal) mean_z = read_reals(file.id(), mean_attribute(field.name), 2);
            const Complex<double> mean{mean_z[0], mean_z[1]};
            clear(share, field, access);
            if (real_bytes(data.front()) == sizeof(float))
                read_common<float>(data, share, in_file, mean, field, access);
            else
                read_common<double>(data, share, in_file, mean, field, access);
        });
}

using Communicator = exchange::Communicator;
#define WHORL_INSTANTIATE(Real)                                                                              \
    template void read_regridded(const std::string&, const Box&, const Truncation&, const RowTable&,         \
                                 const std::vector<StoredField<Real>>&, ModeAccess<Real>&,                   \
                                 const Communicator&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl::storage

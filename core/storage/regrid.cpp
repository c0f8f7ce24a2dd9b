#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "storage/checkpoint.hpp"
#include "storage/checkpoint_header.hpp"
#include "storage/data_reader.hpp"
#include "storage/mode_data.hpp"
#include "storage/whole_file.hpp"

namespace whorl::storage {

namespace {

constexpr double same_length = 1e-6; // relative, because users type the lengths

bool is_solenoidal(hid_t file, const std::string& field) {
    return has_attribute(file, mean_attribute(field));
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
void read_common(const FieldData& data, const ModeShare& share, const ModeOrder& in_file,
                 const ModePlaces& places, Complex<double> mean_z, const StoredField<Real>& field,
                 ModeAccess<Real>& access) {
    const int components = field.components();
    const auto slices = slices_of(in_file, static_cast<std::size_t>(components) * sizeof(Complex<Stored>));
    const auto staged = make_staging<Stored>(access, components, slices);
    for (Slice slice : slices) {
        read_slice(data, in_file, places, slice, staged);
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
    const Truncation of_file = geometry.truncation();
    const ModeOrder in_file(of_file, share.order.columns());
    DataReader data(path, file.id(), of_file, context, world);
    FileSums sums(data.files());
    for (const std::string& name : geometry.field_names())
        data.add_whole(sums, StoredField<Real>{name, is_solenoidal(file.id(), name), nullptr}, access);
    data.require(sums);
    ModePlaces places(in_file);
    together(world, context, [&] { places = data.places(in_file); });
    for (const StoredField<Real>& field : fields)
        together(world, context, [&] {
            const FieldData opened = data.open(field.datasets(), in_file, places);
            std::vector<double> mean_z{0.0, 0.0};
            if (field.solenoidal) mean_z = read_reals(file.id(), mean_attribute(field.name), 2);
            const Complex<double> mean{mean_z[0], mean_z[1]};
            clear(share, field, access);
            if (opened.single)
                read_common<float>(opened, share, in_file, places, mean, field, access);
            else
                read_common<double>(opened, share, in_file, places, mean, field, access);
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

#include "storage/snapshot.hpp"

#include <vector>

#include <hdf5_hl.h>

namespace whorl::storage {

namespace {

const std::string format = "whorl snapshot";
constexpr std::int64_t version = 1;
constexpr int components = 3;
// How netCDF marks a dimension that has a length but no coordinates.
const std::string no_coordinates = "This is a netCDF dimension but not a netCDF variable.";

hsize_t extent(int n) { return static_cast<hsize_t>(n); }

// The planes of a block, one after another, from [component][z][y][x] to [y][x][component] on disk.
template <class Stored, class Real>
void write_planes(const Dataset& field, const PhysicalBlock& block, const Real* data) {
    const std::int64_t points = block.points(), plane = points / block.z.size();
    std::vector<Stored> staging(static_cast<std::size_t>(components * plane));
    for (int z = 0; z < block.z.size(); ++z) {
#pragma omp parallel for schedule(static)
        for (std::int64_t p = 0; p < plane; ++p)
            for (int v = 0; v < components; ++v)
                staging[static_cast<std::size_t>(components * p + v)] =
                    static_cast<Stored>(data[v * points + z * plane + p]);
        storage::write_block(field, {extent(block.z.begin + z), extent(block.y.begin), 0, 0},
                             {1, extent(block.y.size()), extent(block.nx), components}, staging.data());
    }
}

} // namespace

SnapshotWriter::SnapshotWriter(const std::string& path, const Box& box, const Attributes& attributes,
                               const exchange::Communicator& world, bool single)
    : box_(box), world_(world), single_(single), context_("the snapshot " + path + " cannot be written"),
      file_(path, context_, world) {
    together(world_, context_, [&] {
        describe_image(attributes);
        add_scales();
    });
}

// The attributes that make the group image data: see "VTKHDF format specification" in the documentation of
// VTK.
void SnapshotWriter::describe_image(const Attributes& attributes) {
    write_attribute(file_.id(), "format", format);
    write_attribute(file_.id(), "version", version);
    write_attributes(file_.id(), attributes);
    image_ = create_group(file_.id(), "VTKHDF");
    points_ = create_group(image_.id(), "PointData");
    std::array<std::int64_t, 6> whole{};
    std::array<double, 3> spacing{};
    for (int axis = 0; axis < 3; ++axis) {
        const auto i = static_cast<std::size_t>(axis);
        whole[2 * i + 1] = box_.points[i] - 1;
        spacing[i] = box_.spacing(axis);
    }
    write_attribute(image_.id(), "Version", std::array<std::int64_t, 2>{2, 2});
    write_attribute(image_.id(), "Type", std::string("ImageData"));
    write_attribute(image_.id(), "WholeExtent", whole);
    write_attribute(image_.id(), "Origin", std::array{0.0, 0.0, 0.0});
    write_attribute(image_.id(), "Spacing", spacing);
    write_attribute(image_.id(), "Direction", std::array{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0});
}

void SnapshotWriter::add_scales() {
    for (const int axis : {2, 1, 0}) {
        const auto i = static_cast<std::size_t>(axis);
        std::vector<double> values(static_cast<std::size_t>(box_.points[i]));
        for (std::size_t n = 0; n < values.size(); ++n)
            values[n] = static_cast<double>(n) * box_.spacing(axis);
        const std::string name(1, "xyz"[axis]);
        scales_[2 - i] = create_dataset(file_.id(), name, file_type<double>(), {values.size()});
        if (world_.rank() == 0) storage::write_block(scales_[2 - i], {0}, {values.size()}, values.data());
        WHORL_HDF5(H5DSset_scale(scales_[2 - i].id(), name.c_str()));
    }
    const Shape shape{components};
    scales_[3] = create_dataset(file_.id(), "component", file_type<float>(), shape);
    WHORL_HDF5(H5DSset_scale(scales_[3].id(), no_coordinates.c_str()));
}

void SnapshotWriter::add_field(const std::string& name) {
    together(world_, context_, [&] {
        const Shape shape{extent(box_.points[2]), extent(box_.points[1]), extent(box_.points[0]), components};
        Dataset field =
            create_dataset(points_.id(), name, single_ ? file_type<float>() : file_type<double>(), shape);
        for (unsigned dimension = 0; dimension < scales_.size(); ++dimension)
            WHORL_HDF5(H5DSattach_scale(field.id(), scales_[dimension].id(), dimension));
        fields_[name] = std::move(field);
    });
}

template <class Real>
void SnapshotWriter::write_block(const std::string& name, const PhysicalBlock& block, const Real* data) {
    together(world_, context_, [&] {
        if (block.points() == 0) return;
        const Dataset& field = fields_.at(name);
        if (single_)
            write_planes<float>(field, block, data);
        else
            write_planes<double>(field, block, data);
    });
}

void SnapshotWriter::finish() {
    fields_.clear();
    scales_ = {};
    points_ = {};
    image_ = {};
    file_.finish();
}

template void SnapshotWriter::write_block(const std::string&, const PhysicalBlock&, const float*);
template void SnapshotWriter::write_block(const std::string&, const PhysicalBlock&, const double*);

} // namespace whorl::storage

#include "storage/snapshot.hpp"

#include <array>
#include <vector>

#include <hdf5_hl.h>

#include "base/declared.hpp"
#include "storage/whole_file.hpp"

namespace whorl::storage {

namespace {

const std::string format = declared::snapshot::format;
constexpr std::int64_t version = declared::snapshot::version;
const std::string image_group = "VTKHDF", point_group = "VTKHDF/PointData";
// NetCDF's mark of a dimension that has a length but no coordinates.
const std::string no_coordinates = "This is a netCDF dimension but not a netCDF variable.";

// Creates the attributes of image data ("VTKHDF format specification" in the documentation of VTK). Version
// 1.0 of the format is sufficient, and the oldest readers accept it.
void create_image(hid_t file, const Box& box) {
    const Group image = create_group(file, image_group), points = create_group(file, point_group);
    std::array<std::int64_t, 6> whole{};
    std::array<double, 3> origin{}, spacing{};
    for (int axis = 0; axis < 3; ++axis) {
        const auto i = static_cast<std::size_t>(axis);
        whole[2 * i + 1] = box.points[i] - 1;
        spacing[i] = box.spacing(axis);
        origin[i] = box.first_point(axis) * spacing[i];
    }
    write_attribute(image.id(), "Version", std::array<std::int64_t, 2>{1, 0});
    write_attribute(image.id(), "Type", std::string("ImageData"));
    write_attribute(image.id(), "WholeExtent", whole);
    write_attribute(image.id(), "Origin", origin);
    write_attribute(image.id(), "Spacing", spacing);
    write_attribute(image.id(), "Direction", std::array{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0});
}

void create_scales(hid_t file, const Box& box) {
    for (int axis = 0; axis < 3; ++axis) {
        std::vector<double> positions(static_cast<std::size_t>(box.points[static_cast<std::size_t>(axis)]));
        for (std::size_t n = 0; n < positions.size(); ++n)
            positions[n] = (static_cast<double>(n) + box.first_point(axis)) * box.spacing(axis);
        const std::string name(1, "xyz"[axis]);
        const Dataset scale = create_dataset(file, name, native_type<double>(), {positions.size()});
        write_values(scale, positions);
        WHORL_HDF5(H5DSset_scale(scale.id(), name.c_str()));
    }
}

// Name of the dimension of components; those of a complex field are its parts, those of a tensor pairs.
const char* component_dimension(int components) {
    return components == 3 ? "component" : components == 2 ? "part" : "pair";
}
void create_component_scale(hid_t file, int components) {
    const char* const name = component_dimension(components);
    if (components == 1 || H5Lexists(file, name, H5P_DEFAULT) > 0) return;
    const Dataset scale =
        create_dataset(file, name, native_type<float>(), {static_cast<hsize_t>(components)});
    WHORL_HDF5(H5DSset_scale(scale.id(), no_coordinates.c_str()));
}

// Readers of image data expect no dimension along an axis of one point.
std::vector<std::string> dimensions(const Box& box, int components) {
    std::vector<std::string> names;
    if (box.points[2] > 1) names.emplace_back("z");
    if (box.points[1] > 1) names.emplace_back("y");
    names.emplace_back("x");
    if (components > 1) names.emplace_back(component_dimension(components));
    return names;
}

std::int64_t create_field(hid_t file, const std::string& name, int components, const Box& box, hid_t type) {
    create_component_scale(file, components);
    const std::map<std::string, int> extents{{"x", box.points[0]},
                                             {"y", box.points[1]},
                                             {"z", box.points[2]},
                                             {component_dimension(components), components}};
    Shape shape;
    for (const std::string& dimension : dimensions(box, components))
        shape.push_back(static_cast<hsize_t>(extents.at(dimension)));
    const std::string path = point_group + "/" + name;
    const Dataset field = create_dataset(file, path, type, shape);
    // A second name at the root, next to the dimensions, for netCDF readers; the values are stored once.
    WHORL_HDF5(H5Lcreate_hard(file, path.c_str(), file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
    unsigned index = 0;
    for (const std::string& dimension : dimensions(box, components))
        WHORL_HDF5(H5DSattach_scale(field.id(), open_dataset(file, dimension).id(), index++));
    return offset_of(field);
}

// Writes the planes of a block, one after another, from [component][z][y][x] to [y][x][component] in the
// file, where the field begins at `offset`.
template <class Stored, class Real>
void write_planes(const WholeFile& file, std::int64_t offset, int components, int ny,
                  const PhysicalBlock& block, const Real* data) {
    const std::int64_t points = block.points(), plane = points / block.z.size();
    std::vector<Stored> staging(static_cast<std::size_t>(components * plane));
    const std::size_t bytes = staging.size() * sizeof(Stored);
    for (int z = 0; z < block.z.size(); ++z) {
        for (int v = 0; v < components; ++v) {
            const Real* const from = data + v * points + z * plane;
            Stored* const to = staging.data() + v;
            for (std::int64_t p = 0; p < plane; ++p) to[components * p] = static_cast<Stored>(from[p]);
        }
        const std::int64_t row = static_cast<std::int64_t>(block.z.begin + z) * ny + block.y.begin;
        file.write(offset + row * block.nx * components * static_cast<std::int64_t>(sizeof(Stored)),
                   staging.data(), bytes);
    }
}

} // namespace

SnapshotWriter::SnapshotWriter(const std::string& path, const Box& box, const Attributes& attributes,
                               const exchange::Communicator& world, bool single)
    : box_(box), world_(world), single_(single), context_("the snapshot " + path + " cannot be written"),
      file_(std::make_unique<WholeFile>(path, context_, world)) {
    file_->describe([&](hid_t file) {
        write_attribute(file, "format", format);
        write_attribute(file, "version", version);
        write_attributes(file, attributes);
        create_image(file, box_);
        create_scales(file, box_);
    });
}

SnapshotWriter::~SnapshotWriter() = default;

void SnapshotWriter::add_field(const std::string& name, int components) {
    std::int64_t offset = 0;
    file_->describe([&](hid_t file) {
        offset = create_field(file, name, components, box_,
                              single_ ? native_type<float>() : native_type<double>());
    });
    world_.broadcast(&offset, sizeof offset, 0);
    fields_[name] = {offset, components};
}

template <class Real>
void SnapshotWriter::write_block(const std::string& name, const PhysicalBlock& block, const Real* data) {
    together(world_, context_, [&] {
        if (block.points() == 0) return;
        const Field field = fields_.at(name);
        if (single_)
            write_planes<float>(*file_, field.offset, field.components, box_.points[1], block, data);
        else
            write_planes<double>(*file_, field.offset, field.components, box_.points[1], block, data);
    });
}

void SnapshotWriter::finish() { file_->finish(); }

template void SnapshotWriter::write_block(const std::string&, const PhysicalBlock&, const float*);
template void SnapshotWriter::write_block(const std::string&, const PhysicalBlock&, const double*);

} // namespace whorl::storage

#include "storage/hdf5.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "storage/attributes.hpp"

namespace whorl::storage {

namespace {

// HDF5 prints its errors by default; here the exception contains them.
void silence() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

herr_t collect(unsigned, const H5E_error2_t* error, void* messages) {
    static_cast<std::vector<std::string>*>(messages)->push_back(error->desc);
    return 0;
}

Properties file_access() {
    silence();
    Properties access(WHORL_HDF5(H5Pcreate(H5P_FILE_ACCESS)));
    // Many ranks read a file at once, on file systems without locks as well.
    WHORL_HDF5(H5Pset_file_locking(access.id(), false, true));
    // Metadata have checksums from format 1.8 on, and attributes may be longer than 64 KiB.
    WHORL_HDF5(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    return access;
}

// Creation properties without modification times, so that the same data make the same file.
Properties timeless(hid_t kind) {
    Properties creation(WHORL_HDF5(H5Pcreate(kind)));
    WHORL_HDF5(H5Pset_obj_track_times(creation.id(), false));
    return creation;
}

Dataspace simple_space(const Shape& shape) {
    return Dataspace(WHORL_HDF5(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr)));
}

Datatype text_type(const std::string& text) {
    Datatype type(WHORL_HDF5(H5Tcopy(H5T_C_S1)));
    const bool ascii =
        std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 128; });
    WHORL_HDF5(H5Tset_size(type.id(), std::max<std::size_t>(text.size(), 1)));
    WHORL_HDF5(H5Tset_strpad(type.id(), H5T_STR_NULLPAD));
    WHORL_HDF5(H5Tset_cset(type.id(), ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8));
    return type;
}

void put_attribute(hid_t object, const std::string& name, hid_t stored, hid_t given, const Dataspace& space,
                   const void* value) {
    Attribute attribute(
        WHORL_HDF5(H5Acreate2(object, name.c_str(), stored, space.id(), H5P_DEFAULT, H5P_DEFAULT)));
    WHORL_HDF5(H5Awrite(attribute.id(), given, value));
}

Attribute open_attribute(hid_t object, const std::string& name) {
    return Attribute(WHORL_HDF5(H5Aopen(object, name.c_str(), H5P_DEFAULT)));
}

std::size_t value_count(const Attribute& attribute) {
    Dataspace space(WHORL_HDF5(H5Aget_space(attribute.id())));
    return static_cast<std::size_t>(WHORL_HDF5(H5Sget_simple_extent_npoints(space.id())));
}

herr_t add_name(hid_t, const char* name, const H5A_info_t*, void* names) {
    static_cast<std::vector<std::string>*>(names)->push_back(name);
    return 0;
}

template <class T>
std::vector<T> values_of(hid_t object, const std::string& name, hid_t type, std::size_t count) {
    Attribute attribute = open_attribute(object, name);
    WHORL_REQUIRE(value_count(attribute) == count, "its attribute " + name + " holds " +
                                                       std::to_string(value_count(attribute)) +
                                                       " values, not " + std::to_string(count) + ".");
    std::vector<T> values(count);
    WHORL_HDF5(H5Aread(attribute.id(), type, values.data()));
    return values;
}

} // namespace

std::string hdf5_version() {
    unsigned major = 0, minor = 0, release = 0;
    WHORL_HDF5(H5get_libversion(&major, &minor, &release));
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

void fail_hdf5(const std::string& call) {
    std::vector<std::string> messages;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, collect, &messages);
    std::string text = call.substr(0, call.find('(')) + " failed";
    if (!messages.empty()) text += ": " + messages.front();
    if (messages.size() > 1) text += ": " + messages.back();
    throw Error(text + ".");
}

File create_file(const std::string& path) {
    const Properties access = file_access(), creation = timeless(H5P_FILE_CREATE);
    return File(WHORL_HDF5(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id())));
}

File open_file(const std::string& path) {
    const Properties access = file_access();
    return File(WHORL_HDF5(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id())));
}

bool is_hdf5(const std::string& path) {
    silence();
    return H5Fis_hdf5(path.c_str()) > 0;
}

template <> hid_t native_type<float>() { return H5T_NATIVE_FLOAT; }
template <> hid_t native_type<double>() { return H5T_NATIVE_DOUBLE; }

Group create_group(hid_t parent, const std::string& name) {
    const Properties creation = timeless(H5P_GROUP_CREATE);
    return Group(WHORL_HDF5(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT)));
}

Dataset create_dataset(hid_t parent, const std::string& name, hid_t type, const Shape& shape) {
    const Dataspace space = simple_space(shape);
    const Properties creation = timeless(H5P_DATASET_CREATE);
    WHORL_HDF5(H5Pset_layout(creation.id(), H5D_CONTIGUOUS));
    WHORL_HDF5(H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY));
    WHORL_HDF5(H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER));
    return Dataset(WHORL_HDF5(
        H5Dcreate2(parent, name.c_str(), type, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT)));
}

Dataset open_dataset(hid_t parent, const std::string& name) {
    return Dataset(WHORL_HDF5(H5Dopen2(parent, name.c_str(), H5P_DEFAULT)));
}

Shape shape_of(const Dataset& dataset) {
    Dataspace space(WHORL_HDF5(H5Dget_space(dataset.id())));
    Shape shape(static_cast<std::size_t>(WHORL_HDF5(H5Sget_simple_extent_ndims(space.id()))));
    WHORL_HDF5(H5Sget_simple_extent_dims(space.id(), shape.data(), nullptr));
    return shape;
}

std::int64_t offset_of(const Dataset& dataset) {
    const haddr_t offset = H5Dget_offset(dataset.id());
    if (offset == HADDR_UNDEF) fail_hdf5("H5Dget_offset");
    return static_cast<std::int64_t>(offset);
}

std::size_t real_bytes(const Dataset& dataset) {
    Datatype type(WHORL_HDF5(H5Dget_type(dataset.id())));
    const std::size_t bytes = H5Tget_size(type.id());
    WHORL_REQUIRE(H5Tget_class(type.id()) == H5T_FLOAT && (bytes == sizeof(float) || bytes == sizeof(double)),
                  "its data are neither single nor double precision.");
    return bytes;
}

void write_values(const Dataset& dataset, std::span<const double> values) {
    WHORL_HDF5(H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
}

void write_integer_values(hid_t parent, const std::string& name, std::span<const std::int64_t> values) {
    const Dataset dataset = create_dataset(parent, name, H5T_STD_I64LE, {values.size()});
    WHORL_HDF5(H5Dwrite(dataset.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
}

std::vector<std::int64_t> read_integer_values(hid_t parent, const std::string& name) {
    const Dataset dataset = open_dataset(parent, name);
    const Shape shape = shape_of(dataset);
    WHORL_REQUIRE(shape.size() == 1, "its dataset " + name + " is no list.");
    std::vector<std::int64_t> values(shape.front());
    WHORL_HDF5(H5Dread(dataset.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
    return values;
}

template <class Real>
void read_block(const Dataset& dataset, const Shape& start, const Shape& count, Real* values) {
    const Dataspace memory = simple_space(count), file(WHORL_HDF5(H5Dget_space(dataset.id())));
    WHORL_HDF5(H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
    WHORL_HDF5(H5Dread(dataset.id(), native_type<Real>(), memory.id(), file.id(), H5P_DEFAULT, values));
}

template void read_block(const Dataset&, const Shape&, const Shape&, float*);
template void read_block(const Dataset&, const Shape&, const Shape&, double*);

void write_attribute(hid_t object, const std::string& name, const std::string& value) {
    const Datatype type = text_type(value);
    const Dataspace space(WHORL_HDF5(H5Screate(H5S_SCALAR)));
    put_attribute(object, name, type.id(), type.id(), space, value.c_str());
}

void write_attribute(hid_t object, const std::string& name, std::span<const double> values) {
    put_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, simple_space({values.size()}),
                  values.data());
}

void write_attribute(hid_t object, const std::string& name, std::span<const std::int64_t> values) {
    put_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, simple_space({values.size()}),
                  values.data());
}

void write_attribute(hid_t object, const std::string& name, double value) {
    const Dataspace space(WHORL_HDF5(H5Screate(H5S_SCALAR)));
    put_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space, &value);
}

void write_attribute(hid_t object, const std::string& name, std::int64_t value) {
    const Dataspace space(WHORL_HDF5(H5Screate(H5S_SCALAR)));
    put_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, space, &value);
}

void write_attributes(hid_t object, const Attributes& attributes) {
    for (const auto& [name, value] : attributes)
        std::visit([&, &key = name](const auto& typed) { write_attribute(object, key, typed); }, value);
}

bool has_attribute(hid_t object, const std::string& name) {
    return WHORL_HDF5(H5Aexists(object, name.c_str())) > 0;
}

std::vector<std::string> attribute_names(hid_t object) {
    std::vector<std::string> names;
    WHORL_HDF5(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &names));
    std::ranges::sort(names);
    return names;
}

AttributeShape shape_of_attribute(hid_t object, const std::string& name) {
    const Attribute attribute = open_attribute(object, name);
    const Datatype type(WHORL_HDF5(H5Aget_type(attribute.id())));
    return {H5Tget_class(type.id()), value_count(attribute)};
}

std::string read_text(hid_t object, const std::string& name) {
    Attribute attribute = open_attribute(object, name);
    Datatype type(WHORL_HDF5(H5Aget_type(attribute.id())));
    WHORL_REQUIRE(H5Tget_class(type.id()) == H5T_STRING && value_count(attribute) == 1,
                  "its attribute " + name + " is not a single string.");
    if (H5Tis_variable_str(type.id()) > 0) { // as h5py writes them
        char* data = nullptr;
        WHORL_HDF5(H5Aread(attribute.id(), type.id(), &data));
        const std::string text = data ? data : "";
        WHORL_HDF5(H5free_memory(data));
        return text;
    }
    std::string text(H5Tget_size(type.id()), '\0');
    WHORL_HDF5(H5Aread(attribute.id(), type.id(), text.data()));
    text.resize(text.find_last_not_of('\0') + 1);
    return text;
}

std::vector<double> read_reals(hid_t object, const std::string& name, std::size_t count) {
    return values_of<double>(object, name, H5T_NATIVE_DOUBLE, count);
}

std::vector<std::int64_t> read_integers(hid_t object, const std::string& name, std::size_t count) {
    return values_of<std::int64_t>(object, name, H5T_NATIVE_INT64, count);
}

} // namespace whorl::storage

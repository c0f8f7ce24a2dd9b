// HDF5's C interface with handles that close themselves and a check of every return value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

#include "storage/attributes.hpp"

namespace whorl::storage {

// Throws Error with the name of the call and the messages of HDF5 and MPI.
[[noreturn]] void fail_hdf5(const std::string& call);

template <class Result> Result check_hdf5(Result result, const char* call) {
    if (result < 0) fail_hdf5(call);
    return result;
}
#define WHORL_HDF5(call) ::whorl::storage::check_hdf5((call), #call)

template <herr_t (*release)(hid_t)> class Handle {
  public:
    Handle() = default;
    explicit Handle(hid_t id) : id_(id) {}
    ~Handle() { close(); }
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }

    hid_t id() const { return id_; }
    // Closes the handle for callers that check the result, which the destructor must ignore.
    herr_t close() {
        const hid_t id = std::exchange(id_, H5I_INVALID_HID);
        return id < 0 ? 0 : release(id);
    }

  private:
    hid_t id_ = H5I_INVALID_HID;
};

using File = Handle<H5Fclose>;
using Group = Handle<H5Gclose>;
using Dataset = Handle<H5Dclose>;
using Dataspace = Handle<H5Sclose>;
using Datatype = Handle<H5Tclose>;
using Attribute = Handle<H5Aclose>;
using Properties = Handle<H5Pclose>;

using Shape = std::vector<hsize_t>;

// By one rank, which creates a file for all.
File create_file(const std::string& path);
// By each rank that reads the file.
File open_file(const std::string& path);
// The file must exist.
bool is_hdf5(const std::string& path);

// The type of real numbers on this machine.
template <class Real> hid_t native_type();

Group create_group(hid_t parent, const std::string& name);
// The dataset is contiguous; its space is reserved at once and not filled.
Dataset create_dataset(hid_t parent, const std::string& name, hid_t type, const Shape& shape);
Dataset open_dataset(hid_t parent, const std::string& name);
Shape shape_of(const Dataset& dataset);
// Offset in the file of the values of a contiguous dataset.
std::int64_t offset_of(const Dataset& dataset);
// 4 or 8; throws Error if the values are not real numbers of either size.
std::size_t real_bytes(const Dataset& dataset);

void write_values(const Dataset& dataset, std::span<const double> values);
// A dataset of integers, whole.
void write_integer_values(hid_t parent, const std::string& name, std::span<const std::int64_t> values);
std::vector<std::int64_t> read_integer_values(hid_t parent, const std::string& name);
// Reads a block of `dataset` into contiguous memory, on this rank alone.
template <class Real>
void read_block(const Dataset& dataset, const Shape& start, const Shape& count, Real* values);

void write_attribute(hid_t object, const std::string& name, const std::string& value);
void write_attribute(hid_t object, const std::string& name, std::span<const double> values);
void write_attribute(hid_t object, const std::string& name, std::span<const std::int64_t> values);
void write_attribute(hid_t object, const std::string& name, double value);
void write_attribute(hid_t object, const std::string& name, std::int64_t value);
void write_attributes(hid_t object, const Attributes& attributes);

bool has_attribute(hid_t object, const std::string& name);
// The names in alphabetical order.
std::vector<std::string> attribute_names(hid_t object);
struct AttributeShape {
    H5T_class_t kind;
    std::size_t count;
};
AttributeShape shape_of_attribute(hid_t object, const std::string& name);
std::string read_text(hid_t object, const std::string& name);
// Throw Error unless the attribute holds `count` values.
std::vector<double> read_reals(hid_t object, const std::string& name, std::size_t count);
std::vector<std::int64_t> read_integers(hid_t object, const std::string& name, std::size_t count);

} // namespace whorl::storage
